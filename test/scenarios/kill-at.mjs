/**
 * Loaded before the program (`node --import`): ends it with SIGKILL at the moment it runs a certain SQL statement, so
 * that a crash between two writes can be tested without waiting for luck. KILL_AT: a part of the statement, then `#` and
 * the how-manyeth time.
 */
import Database from "better-sqlite3";

const [text = "", count = "1"] = (process.env["KILL_AT"] ?? "").split("#");
let left = Number(count);
const prepare = Object.getOwnPropertyDescriptor(Database.prototype, "prepare")?.value;

Database.prototype.prepare = function (sql) {
  const statement = Reflect.apply(prepare, this, [sql]);
  if (text === "" || !sql.includes(text)) return statement;
  const run = statement.run.bind(statement);
  statement.run = (...parameters) => {
    left -= 1;
    if (left === 0) process.kill(process.pid, "SIGKILL");
    return run(...parameters);
  };
  return statement;
};
