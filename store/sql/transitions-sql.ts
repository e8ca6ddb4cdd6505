import { GATE_TRANSITIONS } from '#core/gate/types.ts'
import { PIPELINE_STEP_TRANSITIONS, PIPELINE_TRANSITIONS } from '#core/pipeline/transitions.ts'
import { RUN_TRANSITIONS, STEP_TRANSITIONS } from '#core/run/status.ts'
import { type Transitions, transitionsOf } from '#core/transitions.ts'

interface Checked {
  /** the trigger function that refuses every other transition */
  name: string
  table: string
  column: string
  /** the row's name, as SQL */
  subject: string
  transitions: Transitions<string, never>
}

export const CHECKED: readonly Checked[] = [
  {
    name: 'check_run_transition',
    table: 'runs',
    column: 'status',
    subject: "'run ' || new.id",
    transitions: RUN_TRANSITIONS,
  },
  {
    name: 'check_step_transition',
    table: 'run_steps',
    column: 'state',
    subject: "'step ' || new.step_id || ' of run ' || new.run_id",
    transitions: STEP_TRANSITIONS,
  },
  {
    name: 'check_gate_transition',
    table: 'gates',
    column: 'status',
    subject: "'gate ' || new.id",
    transitions: GATE_TRANSITIONS,
  },
  {
    name: 'check_pipeline_transition',
    table: 'pipelines',
    column: 'status',
    subject: "'pipeline ' || new.id",
    transitions: PIPELINE_TRANSITIONS,
  },
  {
    name: 'check_pipeline_step_transition',
    table: 'pipeline_steps',
    column: 'state',
    subject: "'step ' || new.step_id || ' of pipeline ' || new.pipeline_id",
    transitions: PIPELINE_STEP_TRANSITIONS,
  },
]

/** Returns the statement that installs the tables of transitions in the database. */
export function transitionsSql(): string {
  return CHECKED.map(functionOf).join('\n\n')
}

function functionOf({ name, table, column, subject, transitions }: Checked): string {
  const [start = ''] = Object.keys(transitions)
  const froms = Object.keys(transitions).flatMap((from) => {
    const next = transitionsOf({ [from]: transitions[from] ?? {} }).map(({ to }) => `'${to}'`)
    return next.length === 0 ? [] : [`      when '${from}' then new.${column} in (${next.join(', ')})`]
  })
  // one expression costs an update about 3 µs; a `when` on the trigger costs ten times that, prepared again for every
  // statement
  return `create or replace function ${name}() returns trigger language plpgsql as $$
begin
  if new.${column} = old.${column} or (case coalesce(old.${column}, '${start}')
${froms.join('\n')}
      else false end) then return new; end if;
  raise exception '% cannot go from % to %', ${subject}, coalesce(old.${column}, '${start}'), new.${column}
    using errcode = 'check_violation', table = '${table}', column = '${column}', constraint = '${name}';
end $$;`
}
