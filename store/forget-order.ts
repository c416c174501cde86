/** An operator's order to forget somebody: looked up and begun, whoever carries it out. */
import type { Database } from "better-sqlite3";
import type { PersonId } from "../subagents/contract.ts";
import { transaction } from "./commit.ts";
import { createForgetRequests, findPerson, likelyPersons, type StoppedRun } from "./forget-request.ts";

export type Ordered =
  | { readonly type: "begun"; readonly person: PersonId; readonly runs: readonly StoppedRun[] }
  /** People who may be meant, as `Ana (telegram:12345)`. */
  | { readonly type: "unknown"; readonly likely: readonly string[] };

/** `text`: a person's id of ours, or `platform:account`. On disk when it returns. */
export function createForgetOrder(db: Database, now: () => number): (text: string) => Ordered {
  const requests = createForgetRequests(db, now);
  return transaction(db, (text: string): Ordered => {
    const person = findPerson(db, text);
    if (person === undefined) return { type: "unknown", likely: likelyPersons(db, text) };
    return { type: "begun", person, runs: requests.begin(person) };
  });
}
