/**
 * The schema, as numbered steps. A step is never changed once released; a change is a new step.
 *
 * Words: a row of `inbox` is one event, a row of `slots` what a thread should show, a row of `posts` the receipt of one
 * platform message.
 */
import type { Database } from "better-sqlite3";
import { StoreError } from "./store-error.ts";
import { REPORTED_TOTALS, TOTALS } from "./totals.ts";

/** "Threadline" as SQLite's application id, so that a database of another program is told apart. */
const APPLICATION_ID = 0x74686c64;

const STEPS: readonly string[] = [
  `
  create table meta(key text primary key, value text not null) without rowid;
  create table persons(id text primary key, name text not null, admin integer not null default 0, created_at integer not null) without rowid;
  create table accounts(platform text not null, id text not null, person text not null references persons(id),
    primary key(platform, id)) without rowid;
  create table places(key text primary key, held_until integer not null) without rowid;
  create table threads(
    id text primary key, key text not null, platform text not null, account text not null, place text not null,
    person text not null, title text not null default '', opened_at integer not null, active_at integer not null,
    -- which of the threads of a key is the current one: the one selected last
    selected integer not null) without rowid;
  create index threads_key on threads(platform, key, selected);
  create table inbox(
    seq integer primary key, id text not null unique, platform text not null, account text not null, event text not null,
    thread text, person text not null, author text not null, post text, state text not null,
    -- its author spoke to the bot, not only where the bot could hear it
    addressed integer not null, run text, event_json text not null,
    files text, received_at integer not null, unique(platform, account, event));
  create index inbox_queue on inbox(thread, state, seq);
  create index inbox_waiting on inbox(thread) where state = 'queued';
  create index inbox_post on inbox(platform, account, post) where post is not null;
  create table runs(
    seq integer primary key, id text not null unique, thread text not null, person text not null,
    state text not null, attempt integer not null, input text not null, started_at integer not null, ended_at integer, outcome text);
  create index runs_thread on runs(thread);
  create index runs_live on runs(thread, seq) where state in ('running', 'waiting', 'stopping');
  create table tasks(execution text primary key, run text not null, ended integer not null, snapshot text not null, seq integer not null) without rowid;
  create index tasks_run on tasks(run, seq);
  create table tool_calls(run text not null, key text not null, tool text not null, effect text not null, started_at integer not null,
    primary key(run, key)) without rowid;
  create table usage(
    call text primary key, run text not null, thread text not null, person text not null, execution text, caller text not null,
    model text not null, reported_model text, input integer, output integer, total integer, cache_read integer, reasoning integer,
    at integer not null) without rowid;
  create index usage_run on usage(run);
  create index usage_execution on usage(execution) where execution is not null;
  create table questions(
    seq integer primary key, id text not null unique, run text not null, thread text not null, interrupt text not null,
    person text not null, request text not null, tokens text not null, state text not null, answer text, unique(run, interrupt));
  create index questions_open on questions(thread, seq) where state = 'open';
  create table tokens(token text primary key, thread text not null, meaning text not null unique) without rowid;
  create table slots(
    seq integer primary key, slot text not null unique, thread text not null, view text not null, final integer not null,
    if_posted integer not null, version integer not null, settled integer not null, parts text);
  create index slots_open on slots(thread, seq) where settled = 0;
  create table posts(
    slot text not null, idx integer not null, thread text not null, generation integer not null, state text not null,
    post text, part text, at integer not null, primary key(slot, idx)) without rowid;
  create index posts_post on posts(post) where post is not null;
  create index posts_thread on posts(thread, at);
  `,
  // Which threads a place has: what is said there in no thread may be about one of them.
  `
  alter table threads add column place_key text generated always as (json_extract(place, '$.key')) virtual;
  create index threads_place on threads(platform, place_key, opened_at);
  -- when the wait began: before that the clock was set back
  alter table places add column since integer not null default 0;
  alter table places rename to holds;
  `,
  // Checkpoints of the agent's graphs. See `checkpointer.ts` for how a piece is numbered and who refers to it.
  `
  -- one graph's state in one thread; thread is null once it is given up and waits to be swept away
  create table graph_scopes(id integer primary key autoincrement, thread text, ns text not null, unique(thread, ns));
  create index graph_scopes_given_up on graph_scopes(id) where thread is null;
  -- a message, or the large value of a channel: written once, never changed
  create table graph_pieces(key integer primary key, body text not null);
  create table graph_checkpoints(
    scope integer not null, id text not null, parent text, body text not null, channels text not null,
    metadata text not null, pieces text not null, primary key(scope, id));
  create table graph_writes(
    scope integer not null, checkpoint text not null, path text not null, task text not null, idx integer not null,
    channel text not null, value blob not null, pieces text not null, primary key(scope, checkpoint, task, idx));
  create index inbox_taken on inbox(run) where state = 'taken';
  `,
  TOTALS,
  // Which scopes have lost checkpoints, and not yet the pieces that only these referred to. That was known in memory alone.
  `
  alter table graph_scopes add column uncollected integer not null default 0;
  update graph_scopes set uncollected = 1;
  `,
  REPORTED_TOTALS,
  // For the next process: how much of a task's time-out is used up, and what a completed one reported, whole.
  `
  alter table tasks add column active_ms integer;
  alter table tasks add column report text;
  `,
];

/**
 * Brings an empty or older database to the newest step, in one transaction. `to`: only so far, as an earlier version did.
 * @throws StoreError when the file belongs to another program or to a newer version.
 */
export function migrate(db: Database, to = STEPS.length): void {
  const owner = db.pragma("application_id", { simple: true });
  const version = Number(db.pragma("user_version", { simple: true }));
  const tables = Number(db.prepare("select count(*) from sqlite_master").pluck().get());
  if (owner !== APPLICATION_ID && tables > 0)
    throw new StoreError(`${db.name} is the database of another program; set data_dir to another folder`);
  if (version > STEPS.length)
    throw new StoreError(
      `${db.name} was written by a newer Threadline (schema ${version}, this one knows ${STEPS.length}); start that version, or set data_dir to another folder`,
    );
  const run = db.transaction(() => {
    db.pragma(`application_id = ${APPLICATION_ID}`);
    STEPS.slice(version, to).forEach((step) => db.exec(step));
    db.pragma(`user_version = ${to}`);
  });
  // `exclusive`: of two processes that start at once, one migrates and the other finds it done.
  if (version < to) run.exclusive();
}
