import { scenarios } from "./scenarios.ts";
import { createTelegramStage } from "./telegram-stage.ts";

scenarios(createTelegramStage);
