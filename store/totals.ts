/**
 * Totals for `/metrics`, kept by triggers: in the same transaction as what they count, so they survive a restart, are
 * undone with it, and do not fall when old rows are removed. They hold no thread, person or text.
 */
const SUBAGENT = "json_extract(snapshot, '$.subagent')";
const STATE = "json_extract(snapshot, '$.state')";

const TABLES = `
  create table usage_totals(
    model text not null, caller text not null, calls integer not null, input integer not null, output integer not null,
    cached integer not null, reasoning integer not null, primary key(model, caller)) without rowid;
  create table run_totals(state text primary key, count integer not null) without rowid;
  create table task_totals(subagent text not null, state text not null, count integer not null,
    primary key(subagent, state)) without rowid;
`;

const ADD_USAGE = `on conflict do update set calls = calls + excluded.calls, input = input + excluded.input,
  output = output + excluded.output, cached = cached + excluded.cached, reasoning = reasoning + excluded.reasoning`;
const ADD_COUNT = "on conflict do update set count = count + excluded.count";
const NEW_SUBAGENT = "json_extract(new.snapshot, '$.subagent')";
const NEW_STATE = "json_extract(new.snapshot, '$.state')";

/** What was stored before there were totals: the one time that everything is read. */
const EARLIER = `
  insert into usage_totals select model, caller, count(*), coalesce(sum(input), 0), coalesce(sum(output), 0),
    coalesce(sum(cache_read), 0), coalesce(sum(reasoning), 0) from usage group by model, caller;
  insert into run_totals select 'started', count(*) from runs;
  insert into run_totals select outcome, count(*) from runs where state = 'ended' group by outcome;
  insert into task_totals select ${SUBAGENT}, 'started', count(*) from tasks group by 1;
  insert into task_totals select ${SUBAGENT}, ${STATE}, count(*) from tasks where ended = 1 group by 1, 2;
`;

const TRIGGERS = `
  create trigger total_usage after insert on usage begin
    insert into usage_totals values(new.model, new.caller, 1, coalesce(new.input, 0), coalesce(new.output, 0),
      coalesce(new.cache_read, 0), coalesce(new.reasoning, 0)) ${ADD_USAGE};
  end;
  create trigger total_run_started after insert on runs begin
    insert into run_totals values('started', 1) ${ADD_COUNT};
  end;
  create trigger total_run_ended after update of state on runs
    when new.state = 'ended' and old.state <> 'ended' begin
    insert into run_totals values(new.outcome, 1) ${ADD_COUNT};
  end;
  create trigger total_task_started after insert on tasks begin
    insert into task_totals values(${NEW_SUBAGENT}, 'started', 1) ${ADD_COUNT};
  end;
  create trigger total_task_ended_at_once after insert on tasks when new.ended = 1 begin
    insert into task_totals values(${NEW_SUBAGENT}, ${NEW_STATE}, 1) ${ADD_COUNT};
  end;
  create trigger total_task_ended after update of ended on tasks
    when new.ended = 1 and old.ended = 0 begin
    insert into task_totals values(${NEW_SUBAGENT}, ${NEW_STATE}, 1) ${ADD_COUNT};
  end;
`;

/** A step of the schema. */
export const TOTALS = TABLES + EARLIER + TRIGGERS;

const NEW_MODEL = "coalesce(new.reported_model, new.model)";
const NEW_COUNTS = `coalesce(new.input, 0), coalesce(new.output, 0), coalesce(new.cache_read, 0),
  coalesce(new.reasoning, 0)`;
/** What is counted under the configured name though the provider named another model; `sign` moves it. */
const misplaced = (model: string, sign: "" | "-") => `
  insert into usage_totals select ${model}, caller, ${sign}count(*), ${sign}coalesce(sum(input), 0),
    ${sign}coalesce(sum(output), 0), ${sign}coalesce(sum(cache_read), 0), ${sign}coalesce(sum(reasoning), 0)
    from usage where reported_model <> model group by 1, 2 ${ADD_USAGE};
`;

/**
 * A later step: usage belongs to the model that the provider reported, and is added to its call when it comes late. What
 * was counted for calls whose rows are gone stays with the configured name.
 */
export const REPORTED_TOTALS = `
  ${misplaced("model", "-")}
  ${misplaced("reported_model", "")}
  delete from usage_totals where calls = 0;
  drop trigger total_usage;
  create trigger total_usage after insert on usage begin
    insert into usage_totals values(${NEW_MODEL}, new.caller, 1, ${NEW_COUNTS}) ${ADD_USAGE};
  end;
  create trigger total_usage_late after update of total on usage when old.total is null and new.total is not null begin
    insert into usage_totals values(${NEW_MODEL}, new.caller, 0, ${NEW_COUNTS}) ${ADD_USAGE};
  end;
`;
