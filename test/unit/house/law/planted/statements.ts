import { plant } from './plant.ts'

const db = 'declare const db: (text: TemplateStringsArray, ...values: unknown[]) => unknown\n'
const hole = '$' + '{'

export const STATEMENTS = [
  plant(
    'a run inserted',
    'store/f01.ts',
    `${db}export const x = db\`insert into runs (id) values (1)\``,
    /writes runs.*admitRun/,
  ),
  plant(
    'a gate updated in another spelling',
    'store/f02.ts',
    `${db}export const x = db\`UPDATE\n  public."gates" SET status = 'approved'\``,
    /writes gates/,
  ),
  plant(
    'a vote inserted among others',
    'store/f03.ts',
    `${db}export const x = db\`with v as (insert /* quick */ into gate_decisions select 1) select 2\``,
    /writes gate_decisions/,
  ),
  plant(
    'a ledger that is deleted',
    'store/f04.ts',
    `${db}export const x = db\`delete from only ledger_entries\``,
    /writes ledger_entries/,
  ),
  plant(
    'audit out of line',
    'services/f05.ts',
    "export const x = 'insert into audit_outbox (draft) values ($1)'",
    /writes audit_outbox.*append_audit/,
  ),
  plant(
    'a statement put together',
    'store/f06.ts',
    "const table = 'runs'\nexport const x = 'insert into ' + table + ' default values'",
    /writes runs/,
  ),
  plant(
    'a table in a hole',
    'store/f07.ts',
    `${db}export const x = (table: unknown) => db\`insert into ${hole}table} (id) values (1)\``,
    /name is not in the text/,
  ),
  plant(
    'a table in a constant',
    'store/f08.ts',
    `${db}const TABLE = 'gates'\nexport const x = \`update ${hole}TABLE} set status = 'approved'\``,
    /writes gates/,
  ),
  plant(
    'a table in a hole that is updated',
    'store/f09.ts',
    `${db}export const x = (t: unknown) => db\`update ${hole}t} set a = 1\``,
    /name is not in the text/,
  ),
  plant(
    'a statement that nobody reads',
    'store/f11.ts',
    'export const x = (db: any, text: string) => db.unsafe(text)',
    /tagged template/,
  ),
  plant(
    'the writer of runs called',
    'services/f12.ts',
    `${db}export const x = db\`select record_run(${hole}'{}'}::jsonb)\``,
    /calls record_run/,
  ),
  plant(
    'the writer of gates called',
    'store/f13.ts',
    `${db}export const x = db\`select public.RESOLVE_GATE ('{}')\``,
    /calls resolve_gate/,
  ),
  plant(
    'a table emptied',
    'store/f14.ts',
    `${db}export const x = db\`truncate table run_events\``,
    /writes run_events/,
  ),
  plant(
    'a backfill',
    'store/migrations/9001_a.sql',
    "update runs set status = 'succeeded';",
    /9001_a\.sql:1 writes runs in no function/,
  ),
  plant(
    'another function that writes',
    'store/migrations/9002_b.sql',
    "create function quick_gate() returns void language plpgsql as $$\nbegin\n  insert into\n    gates (id) values ('x');\nend $$;",
    /9002_b\.sql:3 writes gates in quick_gate/,
  ),
  plant(
    'a statement after its function',
    'store/migrations/9003_c.sql',
    'create or replace function record_run(p jsonb) returns jsonb language plpgsql as $f$ begin return p; end $f$;\ndelete from gates;',
    /9003_c\.sql:2 writes gates in no function/,
  ),
  plant(
    'a statement that is formatted',
    'store/migrations/9004_d.sql',
    "create function f(t text) returns void language plpgsql as $$ begin execute format('insert into %I default values', t); end $$;",
    /name is not in the text/,
  ),
  plant(
    'a statement in a block',
    'store/migrations/9005_e.sql',
    "do $$ begin insert into audit_outbox (draft) values ('{}'); end $$;",
    /writes audit_outbox in no function/,
  ),
  plant(
    'an audit record of another function',
    'store/migrations/9006_f.sql',
    "create function note(t text) returns void language plpgsql as $$\nbegin\n  perform public.append_audit ('[]');\nend $$;",
    /9006_f\.sql:3 calls append_audit in note/,
  ),
  plant(
    'an audit record in a statement of its own',
    'store/f15.ts',
    `${db}export const x = db\`select append_audit(${hole}'[]'}::jsonb)\``,
    /calls append_audit.*statement of its change/,
  ),
]

export const TWICE = [
  plant(
    'another admitRun',
    'services/triggers/g01.ts',
    'export async function admitRun() {}',
    /defines another admitRun/,
  ),
  plant(
    'another decideGate',
    'services/approvals/chat/g02.ts',
    'export const decideGate = () => {}',
    /defines another decideGate/,
  ),
  plant(
    'another executeStep',
    'activities/operators/g03.ts',
    'export const steps = { executeStep() {} }',
    /defines another executeStep/,
  ),
  plant(
    'another defineRoute',
    'api/routes/meta/g04.ts',
    'export default function defineRoute() {}',
    /defines another defineRoute/,
  ),
  plant(
    'another appendEvents',
    'store/g05.ts',
    'export class Log { appendEvents = () => {} }',
    /defines another appendEvents/,
  ),
  plant(
    'another appendAudit',
    'store/g06.ts',
    'export const log = { appendAudit: async () => {} }',
    /defines another appendAudit/,
  ),
  plant(
    'a name put on something else',
    'services/g07.ts',
    "import { startAnyhow as admitRun } from './start-anyhow.ts'\nexport const x = admitRun",
    /defines another admitRun/,
  ),
  plant(
    'a name that leaves',
    'services/g08.ts',
    'const quick = () => {}\nexport { quick as decideGate }',
    /defines another decideGate/,
  ),
]
