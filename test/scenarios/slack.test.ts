import { scenarios } from "./scenarios.ts";
import { createSlackStage } from "./slack-stage.ts";

scenarios(() => createSlackStage());
