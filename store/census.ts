/** How many rows a table has and how many bytes are in them, counted a few hundred rows at a time: never a long scan. */
import type { Database } from "better-sqlite3";

export interface Census {
  /** Counts on; `through`: the last row was reached, `size` is new, and the next step begins again. */
  step(): "on" | "through";
  /** As last counted through; undefined before the first time. */
  readonly size: Size | undefined;
}
interface Size {
  readonly rows: number;
  readonly bytes: number;
}
interface Step extends Size {
  readonly last: number | null;
}

/** About a millisecond where each row fills a page. */
const STEP_ROWS = 200;

/** The table has row ids above 0. One that is not there has no size. */
export function createCensus(db: Database, table: string, stepRows = STEP_ROWS): Census {
  const columns = db.prepare<[string], string>("select name from pragma_table_info(?)").pluck().all(table);
  if (columns.length === 0) return { step: () => "through", size: undefined };
  // `octet_length` reads no value, only its header.
  const bytes = columns.map((name) => `coalesce(octet_length("${name}"), 0)`).join(" + ");
  const next = db.prepare<[number, number], Step>(
    `select count(*) as rows, coalesce(sum(bytes), 0) as bytes, max(at) as last from
       (select rowid as at, ${bytes} as bytes from "${table}" where rowid > ? order by rowid limit ?)`,
  );
  let counting = { rows: 0, bytes: 0, last: 0 };
  let size: Size | undefined;
  return {
    get size() {
      return size;
    },
    step() {
      const { rows, bytes: more, last } = next.get(counting.last, stepRows) ?? { rows: 0, bytes: 0, last: null };
      const sum = { rows: counting.rows + rows, bytes: counting.bytes + more };
      if (last !== null && rows === stepRows) {
        counting = { ...sum, last };
        return "on";
      }
      size = sum;
      counting = { rows: 0, bytes: 0, last: 0 };
      return "through";
    },
  };
}
