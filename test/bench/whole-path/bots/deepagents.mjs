/** telegraf + createDeepAgent + the stock saver. */
import { createDeep } from "./deep-agent.mjs";
import { database } from "./peer-parts.mjs";
import { serve } from "./telegraf-agent.mjs";

await serve(createDeep(database));
