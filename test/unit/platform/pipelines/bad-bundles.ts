import { pipelineYaml } from './bundle-world.ts'

/** A `pipeline.yaml` that is wrong in one way; what is said of it stands in `SAID`. */
interface BadBundle {
  what: string
  yaml: string
}

const run = (id: string, ...keys: string[]) =>
  [
    `      - id: ${id}`,
    '        uses: data/free',
    '        timeout: 1m',
    ...keys.map((key) => `        ${key}`),
    '',
  ].join('\n')
const step = (id: string, ...keys: string[]) =>
  [`      - id: ${id}`, ...keys.map((key) => `        ${key}`), ''].join('\n')
const PROFILE = step('profile', 'uses: data/profile', 'timeout: 1m', `with: { url: "\${{ inputs.url }}" }`)

const bad = (what: string, steps: string): BadBundle => ({ what, yaml: pipelineYaml(steps) })
const badRest = (what: string, rest: string): BadBundle => ({ what, yaml: pipelineYaml(run('a'), rest) })

export const BAD_BUNDLES: BadBundle[] = [
  bad('an unknown key of a step', run('a', 'time_out: 1m')),
  bad('a misspelt key of a step', step('a', 'uses: data/free', 'timout: 1m')),
  badRest('an unknown key of a pipeline', '    parallel: 3\n'),
  { what: 'an unknown key of the bundle', yaml: `${pipelineYaml(run('a'))}version: 1\n` },
  { what: 'another apiVersion', yaml: pipelineYaml(run('a')).replace('svc/v1', 'svc/v2') },
  { what: 'no pipelines', yaml: 'apiVersion: svc/v1\npipelines: {}\n' },
  { what: 'a name with capitals', yaml: pipelineYaml(run('a')).replace('release:', 'Release_It:') },
  { what: 'no title', yaml: pipelineYaml(run('a')).replace('    title: Release a dataset\n', '') },
  { what: 'no steps', yaml: pipelineYaml('').replace('steps:\n', 'steps: []\n') },
  {
    what: 'more than 200 steps',
    yaml: pipelineYaml(Array.from({ length: 201 }, (_, index) => run(`s${index}`)).join('')),
  },
  bad('a step that does nothing', step('a', 'timeout: 1m')),
  bad('a step with two kinds', run('a', 'schedule: 15m')),
  bad('an id that no expression can name', run('a-b')),
  bad('an id that is used twice', run('a') + run('a')),
  bad('an unknown template', step('a', 'uses: data/profil', 'timeout: 1m')),
  bad('a template without its pack', step('a', 'uses: profile', 'timeout: 1m')),
  bad('a template that cannot be loaded', step('a', 'uses: data/torn', 'timeout: 1m')),
  bad('a need that there is not', run('first') + run('b', 'needs: [fist]')),
  bad('a step that needs itself', run('a', 'needs: [a]')),
  bad('a need that is named twice', run('a') + run('b', 'needs: [a, a]')),
  bad('needs that are no list', run('a') + run('b', 'needs: a')),
  bad('a circle', run('a', 'needs: [c]') + run('b', 'needs: [a]') + run('c', 'needs: [b]')),
  bad('two circles', run('a', 'needs: [b]') + run('b', 'needs: [a]') + run('c', 'needs: [d]') + run('d', 'needs: [c]')),
  bad('a condition that is always false', run('a', 'when: false') + run('b', 'needs: [a]')),
  bad('a condition that is false without anything known', run('a', "when: 1 > 2 || 'a' == 'b'")),
  bad('a condition that is a text', run('a', `when: "'yes'"`)),
  bad('a condition in braces', run('a', `when: "\${{ inputs.count > 1 }}"`)),
  bad('a condition with a wrong type', run('a', `when: "1 + 'a' == 2"`)),
  bad('a condition that is no CEL', run('a', 'when: inputs.count >')),
  bad('an unknown variable', run('a', 'when: input.count > 1')),
  bad('an unknown input', run('a', 'when: inputs.cuont > 1')),
  bad('an unknown member of the pipeline', run('a', "when: pipeline.env == 'production'")),
  bad('an item outside of for_each', step('a', 'uses: data/profile', 'timeout: 1m', `with: { url: "\${{ item }}" }`)),
  bad('an event outside of matches', run('a', "when: event.data.name == 'a'")),
  bad('a step that need not have ended', PROFILE + run('b', 'when: steps.profile.outputs.rows > 0')),
  bad('a step that comes later', run('a', "when: steps.b.status == 'succeeded'") + run('b', 'needs: [a]')),
  bad('a step that there is not', PROFILE + run('b', 'needs: [profile]', "when: steps.profil.status == 'failed'")),
  bad(
    'an output that the template has not',
    PROFILE + run('b', 'needs: [profile]', 'when: steps.profile.outputs.row > 0'),
  ),
  bad('an output of a template without outputs', run('a') + run('b', 'needs: [a]', 'when: steps.a.outputs.rows > 0')),
  bad('an output of a timer', step('t', 'schedule: 15m') + run('b', 'needs: [t]', "when: steps.t.outputs.at == ''")),
  bad('a field of a step that is no output', PROFILE + run('b', 'needs: [profile]', 'when: steps.profile.rows > 0')),
  bad(
    'an expression that never ends',
    step('a', 'uses: data/profile', 'timeout: 1m', `with: { url: "\${{ inputs.url" }`),
  ),
  bad('an unknown input of the template', step('a', 'uses: data/profile', 'timeout: 1m', 'with: { url: a, row: 5 }')),
  bad('a missing input of the template', step('a', 'uses: data/profile', 'timeout: 1m')),
  bad('a literal of the wrong type', step('a', 'uses: data/profile', 'timeout: 1m', 'with: { url: a, rows: many }')),
  bad('a literal that is not allowed', step('a', 'uses: data/profile', 'timeout: 1m', 'with: { url: a, mode: half }')),
  bad(
    'an input of the pipeline that is of another type',
    step('a', 'uses: data/profile', 'timeout: 1m', `with: { url: a, rows: "\${{ inputs.url }}" }`),
  ),
  bad(
    'a text in the place of a number',
    step('a', 'uses: data/profile', 'timeout: 1m', `with: { url: a, rows: "\${{ inputs.count }} rows" }`),
  ),
  bad(
    'a secret input of the template',
    step('a', 'uses: data/login', 'timeout: 1m', 'with:', '  login: { password: hunter2 }'),
  ),
  bad(
    'an expression for what holds a secret',
    step('a', 'uses: data/login', 'timeout: 1m', `with: { login: "\${{ inputs.url }}" }`),
  ),
  bad('a template that needs a secret', step('a', 'uses: data/token', 'timeout: 1m')),
  bad('an unknown compensation', run('a', 'compensate: data/withdrow')),
  bad('a compensation that needs what the step does not have', run('a', 'compensate: data/withdraw')),
  bad(
    'a compensation that needs what the step does not give',
    step('a', 'uses: data/publish', 'timeout: 1m', 'compensate: data/withdraw'),
  ),
  bad(
    'a compensation that takes another type',
    step('a', 'uses: data/profile', 'timeout: 1m', 'with: { url: a, rows: 5 }', 'compensate: data/rows'),
  ),
  bad('compensate with nothing to take back', run('a', 'on_failure: compensate')),
  bad('an unknown on_failure', run('a', 'on_failure: ignore')),
  bad('an unknown gate', run('a', 'gate: manul')),
  bad('a gate at a timer', step('t', 'schedule: 15m', 'gate: manual')),
  bad('for_each at an event', step('e', 'on: run.succeeded', 'timeout: 1h', 'for_each: { items: "[1]" }')),
  bad('a compensation of an event', step('e', 'on: run.succeeded', 'timeout: 1h', 'compensate: data/free')),
  bad('with at a timer', step('t', 'schedule: 15m', 'with: { url: a }')),
  bad('matches at a run', run('a', 'matches: true')),
  bad('for_each without items', run('a', 'for_each: { parallel: 2 }')),
  bad('for_each over a YAML list', run('a', 'for_each: { items: [a, b] }')),
  bad('for_each over a text', run('a', `for_each: { items: "'abc'" }`)),
  bad('for_each over an input that is no list', run('a', 'for_each: { items: inputs.count }')),
  bad('too many at once', run('a', 'for_each: { items: "[1, 2]", parallel: 51 }')),
  bad('no timeout of a run', step('a', 'uses: data/free')),
  bad('no timeout of an event', step('e', 'on: run.succeeded')),
  bad('a timeout of a timer', step('t', 'schedule: 15m', 'timeout: 1h')),
  bad('a timeout that is none', step('a', 'uses: data/free', 'timeout: 10 minutes')),
  bad('a timeout that is too long', step('a', 'uses: data/free', 'timeout: 31d')),
  bad('a timeout that is a number', step('a', 'uses: data/free', 'timeout: 600')),
  bad('a delay that is none', step('t', 'schedule: soon')),
  bad('a delay with an unknown unit', step('t', 'schedule: 5 min')),
  bad('a delay that is too long', step('t', 'schedule: 40d')),
  bad('an expression of nothing as a delay', step('t', `schedule: "\${{ inputs.delay }}"`)),
  bad('a cron expression with a bad hour', step('t', 'schedule: "0 25 * * *"')),
  bad('a cron expression of four fields', step('t', 'schedule: "0 2 * *"')),
  bad('a cron expression that restricts both days', step('t', 'schedule: "0 2 1 * 1"')),
  bad('an unknown time zone', step('t', 'schedule: { cron: "0 2 * * *", timezone: Berlin }')),
  bad('an unknown key of a schedule', step('t', 'schedule: { cron: "0 2 * * *", zone: UTC }')),
  bad('a topic that is none', step('e', 'on: "pack.>.done"', 'timeout: 1h')),
  bad('a topic that no event has', step('e', 'on: run.succeded', 'timeout: 1h')),
  bad('a pattern that no event fits', step('e', 'on: "gates.*"', 'timeout: 1h')),
  bad(
    'an attribute that events do not have',
    step('e', 'on: run.succeeded', 'timeout: 1h', "matches: event.datas.name == 'a'"),
  ),
  bad('a look back that is too long', step('e', 'on: run.succeeded', 'timeout: 1h', 'look_back: 8d')),
  badRest('a cap of nothing', '    max_usd: 0\n'),
  badRest('a cap that is a text', '    max_usd: cheap\n'),
  badRest('outputs of a step that there is not', `    outputs: { version: "\${{ steps.publish.outputs.version }}" }\n`),
  badRest('an output that is no output', `    outputs: { version: "\${{ steps.a.outputs.version }}" }\n`),
  {
    what: 'inputs that are no JSON Schema',
    yaml: pipelineYaml(run('a')).replace('type: integer', 'type: whole'),
  },
  { what: 'inputs with an unknown keyword', yaml: pipelineYaml(run('a')).replace('required:', 'requires:') },
  {
    what: 'a secret input',
    yaml: pipelineYaml(run('a')).replace('count: { type: integer }', 'token: { type: string, writeOnly: true }'),
  },
  {
    what: 'a secret that is referred to elsewhere',
    yaml: pipelineYaml(run('a')).replace('count: { type: integer }', 'token: { $ref: "https://example.com/secret" }'),
  },
  { what: 'YAML that is none', yaml: pipelineYaml(run('a', 'with: { a: ')) },
  bad('brackets in a value of a flow mapping', run('a', 'for_each: { items: inputs.urls[0] }') + run('b')),
  { what: 'a key that is written twice', yaml: pipelineYaml(run('a', 'timeout: 2m')) },
  { what: 'a second document', yaml: `${pipelineYaml(run('a'))}---\napiVersion: svc/v1\n` },
  {
    what: 'an alias bomb',
    yaml: `a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: [*c, *c, *c, *c, *c, *c, *c, *c, *c]\n`,
  },
  { what: 'a document that is nested too deep', yaml: `a: ${'['.repeat(40)}${']'.repeat(40)}\n` },
  { what: 'an empty file', yaml: '' },
]
