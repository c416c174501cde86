/** telegraf + createAgent + the stock saver. */
import { database } from "./peer-parts.mjs";
import { createPlainAgent } from "./plain-agent.mjs";
import { serve } from "./telegraf-agent.mjs";

await serve(createPlainAgent(database));
