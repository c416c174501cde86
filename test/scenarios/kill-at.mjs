/**
 * Loaded before the program (`node --import`): once its parent has sent a moment, ends it with SIGKILL when it runs a
 * certain SQL statement, so that a crash between two writes can be tested without waiting for luck. A moment is a part of
 * the statement, then `#` and the how-manyeth time from then on.
 */
import Database from "better-sqlite3";

let text = "";
let left = 0;
process.on("message", ({ type, moment }) => {
  if (type !== "kill at") return;
  const [part = "", count = "1"] = moment.split("#");
  text = part;
  left = Number(count);
  process.send?.("armed");
});
// Listening to the parent shall not keep the program alive.
process.channel?.unref();

const prepare = Object.getOwnPropertyDescriptor(Database.prototype, "prepare")?.value;
Database.prototype.prepare = function (sql) {
  const statement = Reflect.apply(prepare, this, [sql]);
  const run = statement.run.bind(statement);
  statement.run = (...parameters) => {
    if (text !== "" && sql.includes(text)) {
      left -= 1;
      if (left === 0) process.kill(process.pid, "SIGKILL");
    }
    return run(...parameters);
  };
  return statement;
};
