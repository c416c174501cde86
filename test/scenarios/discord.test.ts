import { createDiscordStage } from "./discord-stage.ts";
import { scenarios } from "./scenarios.ts";

scenarios(() => createDiscordStage());
