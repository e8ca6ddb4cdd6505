type Result = Record<string, unknown>

/** A question, what is looked up for it, what a reader of the result says, and what is known to be true. */
export interface Known {
  question: string
  tool: [name: string, args?: object]
  read(result: Result): string
  answer: string
  ref: string
}

/** The members of a list in a result. */
const list = (result: Result, name: string) => result[name] as Result[]
const first = (result: Result, name: string) => list(result, name)[0] ?? {}
const group = (result: Result, name: string) => list(result, 'groups').find((each) => each['group'] === name)

/** Made when the world is there: some of them name what was made. */
export const knownAnswers = (id: (name: string) => string): Known[] => [
  {
    question: 'How many runs failed?',
    tool: ['count_runs'],
    read: (r) => `${group(r, 'failed')?.['runs']} failed.`,
    answer: '2 failed.',
    ref: '/runs',
  },
  {
    question: 'How many succeeded?',
    tool: ['count_runs'],
    read: (r) => `${group(r, 'succeeded')?.['runs']} succeeded.`,
    answer: '4 succeeded.',
    ref: '/runs',
  },
  {
    question: 'How many runs are there?',
    tool: ['list_runs', { limit: 1 }],
    read: (r) => `There are ${r['total']}.`,
    answer: 'There are 8.',
    ref: '/runs?limit=1',
  },
  {
    question: 'What went wrong most often?',
    tool: ['count_runs', { group_by: 'failure', status: 'failed' }],
    read: (r) =>
      `${list(r, 'groups')
        .map((g) => g['group'])
        .join(', ')}.`,
    answer: 'auth_failed, timeout.',
    ref: '/runs?status=failed',
  },
  {
    question: 'Where do runs run?',
    tool: ['count_runs', { group_by: 'environment' }],
    read: (r) =>
      list(r, 'groups')
        .map((g) => `${g['runs']} in ${g['group']}`)
        .join(', '),
    answer: '4 in development, 4 in staging',
    ref: '/runs',
  },
  {
    question: 'What do alerts start?',
    tool: ['count_runs', { group_by: 'template', trigger: 'alert' }],
    read: (r) => `${first(r, 'groups')['group']}: ${first(r, 'groups')['runs']}.`,
    answer: 'incident/service-recovery: 1.',
    ref: '/runs?trigger=alert',
  },
  {
    question: 'Which run is about the nightly check?',
    tool: ['list_runs', { text: 'nightly', limit: 5 }],
    read: (r) => `It is ${first(r, 'runs')['run_id']}.`,
    answer: `It is ${id('slow')}.`,
    ref: '/runs?limit=5',
  },
  {
    question: 'What is queued?',
    tool: ['list_runs', { status: 'queued' }],
    read: (r) => `${first(r, 'runs')['run_id']} by ${first(r, 'runs')['trigger']}.`,
    answer: `${id('alerted')} by alert.`,
    ref: '/runs?status=queued&limit=10',
  },
  {
    question: 'Why did it fail?',
    tool: ['get_run', { run_id: id('slow') }],
    read: (r) => `Because: ${(r['error'] as Result)['message']}.`,
    answer: 'Because: no answer within 30 s.',
    ref: `/runs/${id('slow')}`,
  },
  {
    question: 'At which step?',
    tool: ['get_run', { run_id: id('refused') }],
    read: (r) => `At ${(r['error'] as Result)['step']}.`,
    answer: 'At evidence.',
    ref: `/runs/${id('refused')}`,
  },
  {
    question: 'What was it given?',
    tool: ['get_run', { run_id: id('refused') }],
    read: (r) => `The address \`${(r['inputs'] as Result)['url']}\`.`,
    answer: 'The address `http://checkout`.',
    ref: `/runs/${id('refused')}`,
  },
  {
    question: 'What did it cost?',
    tool: ['get_run', { run_id: id('slow') }],
    read: (r) => `It cost ${(r['cost'] as Result)['total_usd']} USD.`,
    answer: 'It cost 0.25 USD.',
    ref: `/runs/${id('slow')}`,
  },
  {
    question: 'Who asked for it?',
    tool: ['get_run', { run_id: id('slow') }],
    read: (r) => `${(r['actor'] as Result)['display']} did.`,
    answer: 'Someone did.',
    ref: `/runs/${id('slow')}`,
  },
  {
    question: 'Which steps were made?',
    tool: ['list_run_steps', { run_id: id('slow') }],
    read: (r) =>
      list(r, 'steps')
        .map((s) => `${s['step']} ${s['state']}`)
        .join(', '),
    answer: 'evidence failed',
    ref: `/runs/${id('slow')}/steps`,
  },
  {
    question: 'What did the step find?',
    tool: ['get_run_step', { run_id: id('refused'), step: 'evidence' }],
    read: (r) => `Status ${(r['outputs'] as Result)['status']}.`,
    answer: 'Status 503.',
    ref: `/runs/${id('refused')}/steps/evidence`,
  },
  {
    question: 'What happened last?',
    tool: ['list_run_events', { run_id: id('slow'), type: 'run.failed', limit: 1 }],
    read: (r) => `${first(r, 'events')['type']}.`,
    answer: 'run.failed.',
    ref: `/runs/${id('slow')}/events`,
  },
  {
    question: 'Who waits for an approval?',
    tool: ['list_gates'],
    read: (r) => `${first(r, 'gates')['run_id']} at ${first(r, 'gates')['step']}.`,
    answer: `${id('parked')} at act.`,
    ref: '/runs?status=awaiting_approval&limit=10',
  },
  {
    question: 'How many answers does it need?',
    tool: ['list_gates'],
    read: (r) => `${(first(r, 'gates')['required'] as Result)['approvals']} approval.`,
    answer: '1 approval.',
    ref: '/runs?status=awaiting_approval&limit=10',
  },
  {
    question: 'Was anything rejected?',
    tool: ['list_gates', { status: 'rejected' }],
    read: (r) => `${list(r, 'gates').length} gates were.`,
    answer: '0 gates were.',
    ref: '/runs?limit=10',
  },
  {
    question: 'What is the riskiest that waits?',
    tool: ['list_runs', { status: 'awaiting_approval' }],
    read: (r) => `Risk ${first(r, 'runs')['risk']}: ${first(r, 'runs')['reason']}.`,
    answer: 'Risk high: errors after the deploy.',
    ref: '/runs?status=awaiting_approval&limit=10',
  },
  {
    question: 'What costs the most?',
    tool: ['sum_costs', { group_by: 'run' }],
    read: (r) => `${first(r, 'costs')['group']}: ${first(r, 'costs')['total_usd']} USD.`,
    answer: `${id('slow')}: 0.25 USD.`,
    ref: '/runs',
  },
  {
    question: 'And by environment?',
    tool: ['sum_costs', { group_by: 'environment' }],
    read: (r) =>
      list(r, 'costs')
        .map((c) => `${c['group']} ${c['total_usd']}`)
        .join(', '),
    answer: 'development 0.25, staging 0.004',
    ref: '/runs',
  },
  {
    question: 'What is left of the budget?',
    tool: ['sum_costs'],
    read: (r) =>
      `${Number(first(r, 'budgets')['cap_usd']) - Number(first(r, 'budgets')['spent_usd'])} USD in ${first(r, 'budgets')['environment']}.`,
    answer: '1.5 USD in staging.',
    ref: '/runs',
  },
  {
    question: 'What do models cost?',
    tool: ['sum_costs'],
    read: (r) => `${list(r, 'models').find((m) => m['model'] === 'gpt-4o-mini')?.['cost_usd']} USD.`,
    answer: '0.0007 USD.',
    ref: '/runs',
  },
  {
    question: 'Who started it, by the audit log?',
    tool: ['search_audit', { run_id: id('slow'), action: 'run.admitted' }],
    read: (r) => `${(first(r, 'records')['actor'] as Result)['id']} did.`,
    answer: 'usr_ann did.',
    ref: `/console/api/audit?run_id=${id('slow')}&limit=10`,
  },
  {
    question: 'Which pipelines run?',
    tool: ['list_pipelines', { status: 'running' }],
    read: (r) => `${first(r, 'pipelines')['name']}.`,
    answer: 'release.',
    ref: '/pipelines?limit=10',
  },
  {
    question: 'What does it wait for?',
    tool: ['get_pipeline', { pipeline_id: id('pipeline') }],
    read: (r) => `For ${list(r, 'steps').find((s) => s['state'] === 'waiting_event')?.['topic']}.`,
    answer: 'For pack.ci.green.',
    ref: `/pipelines/${id('pipeline')}`,
  },
  {
    question: 'What runs next by itself?',
    tool: ['list_schedules'],
    read: (r) => `${first(r, 'schedules')['name']} at ${String(first(r, 'schedules')['next_fire_at']).slice(11, 16)}.`,
    answer: 'nightly at 03:00.',
    ref: '/triggers/scheduled',
  },
  {
    question: 'What is paused?',
    tool: ['list_schedules'],
    read: (r) =>
      `${list(r, 'schedules')
        .filter((s) => !s['enabled'])
        .map((s) => s['name'])}.`,
    answer: 'weekly.',
    ref: '/triggers/scheduled',
  },
  {
    question: 'What became of the last time?',
    tool: ['list_schedule_firings', { schedule_id: id('schedule') }],
    read: (r) => `It was ${first(r, 'firings')['outcome']}: ${first(r, 'firings')['reason']}.`,
    answer: 'It was missed: the service was down.',
    ref: `/triggers/scheduled/${id('schedule')}/fires`,
  },
  {
    question: 'Why does nothing start in production?',
    tool: ['list_halts'],
    read: (r) => `A halt is on: ${first(r, 'halts')['reason']}.`,
    answer: 'A halt is on: a drill.',
    ref: '/console/api/halts',
  },
  {
    question: 'What restarts a service?',
    tool: ['list_packs', { text: 'restart' }],
    read: (r) => `${first(r, 'templates')['template']}.`,
    answer: 'incident/service-recovery.',
    ref: '/packs',
  },
  {
    question: 'Who looks after billing?',
    tool: ['search_knowledge', { query: 'billing team' }],
    read: (r) => `${r['text']}`,
    answer: 'Billing is looked after by the payments team.',
    ref: `/ui/api/knowledge/${id('corpus')}/passage?path=runbook.md&line=2`,
  },
  {
    question: 'What does it take?',
    tool: ['get_contract', { template: 'incident/service-recovery' }],
    read: (r) => `${((r['inputs'] as Result)['required'] as string[]).join(' and ')}.`,
    answer: 'url and token.',
    ref: '/packs/incident/service-recovery/contract',
  },
]
