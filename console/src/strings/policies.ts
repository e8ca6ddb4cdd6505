export const POLICIES = {
  title: 'Policies',
  intro:
    'Each policy stands in a layer: packs, then files of the deployment, then the console. Of the same name the later layer wins where it counts; of all that count, the strictest effect decides.',
  empty: 'There are no policies here.',
  create: 'Write a policy',
  back: 'All policies',
  columns: {
    name: 'Policy',
    layer: 'Layer',
    asks: 'What it asks for',
    counts: 'In force in',
    state: 'State',
  },
  layers: { pack: 'pack', overlay: 'file', console: 'console' },
  broken: 'A person is asked inside its scope.',
  detached: 'No environment attaches it, so it has no effect.',
  nowhere: 'nowhere',
  wins: 'No later layer overrides it there.',
  overridden: (layer: string, source: string, where: string) =>
    `The ${layer} policy of the same name (${source}) stands in its place in ${where}: a later layer wins.`,
  loosens_override: 'That one may be laxer.',
  everything: 'everything',
  only: (what: string) => `only for ${what}`,
  scopes: {
    environments: 'Environments',
    risks: 'Risks',
    action_types: 'Action types',
    capabilities: 'Capabilities',
  },
  rules: 'Rules',
  role: (role: string) => `by the role ${role}`,
  approvals: (count: number) => `by ${count} ${count === 1 ? 'person' : 'people'}`,
  note: (rule: string) => `with a note (${rule})`,
  effects: {
    deny: 'refuses',
    require_hitl: 'asks a person',
    require_dry_run: 'asks for a dry run',
    allow_auto: 'lets through',
  },
  touches: {
    title: 'Steps that it touches',
    empty: 'It touches no step of any template.',
    columns: {
      template: 'Template',
      environment: 'Environment',
      step: 'Step',
      effects: 'It asks',
      outcome: 'What happens',
    },
  },
  outcomes: {
    auto: 'runs by itself',
    dry_run: 'is tried first',
    gate: 'waits for a person',
    deny: 'is refused',
  },
  forecast: {
    title: 'What would happen to each step',
    template: 'Template',
    step: 'Step',
    none: 'There is no template here.',
    nowhere: 'No environment is granted to this workspace.',
    roles: (roles: string) => `needs ${roles}`,
    refused: 'No run of it would begin.',
    hint: 'By the policies in force, before inputs are known. Freezes and halts are left out.',
  },
  editor: {
    title: 'Text',
    label: (name: string) => `YAML of the policy ${name}`,
    new_label: 'YAML of the new policy',
    author: 'Last written by',
    attach: 'Environments that attach it',
    attach_hint:
      'It has an effect only where it is attached. What you tick is used in the preview below, and saved with the text.',
    attach_admins: 'Attaching policies takes an owner or admin of all workspaces.',
    not_attached: (environment: string, why: string) =>
      `The text is saved, but what ${environment} attaches was not changed. ${why}`,
    start:
      'name: night-guard\napplies_to: { environments: [production] }\nrules:\n  - { effect: require_hitl, reason: Nobody changes production at night alone. }\n',
    phrase: (name: string) => `loosen ${name}`,
    confirm: (phrase: string) => `Something may be asked for less than now. Type “${phrase}” to save it all the same`,
  },
  rehearsal: {
    title: 'What it would have said of the runs of the last 30 days',
    waiting: 'Judging the recorded runs…',
    unsound: 'The runs are judged once its problems are solved.',
    summary: (judged: number, changed: number) =>
      judged === 0
        ? 'There is no run of the last 30 days to judge.'
        : `Of ${judged} ${judged === 1 ? 'run' : 'runs'}, ${changed} would have been judged differently.`,
    cut: 'There are more runs than were looked at; these are the newest.',
    looser: (runs: number) =>
      `${runs} ${runs === 1 ? 'run' : 'runs'} would have been asked for less: it would be looser.`,
    loosens: 'It is not certain to be as strict as what is in force now.',
    stricter: 'Nothing would be looser.',
    columns: {
      change: 'Change',
      template: 'Template',
      step: 'Step',
      before: 'Now',
      after: 'With this text',
      runs: 'Runs',
    },
    is_looser: 'looser',
    is_stricter: 'stricter or other',
    dry_run: 'after a dry run',
    newest: 'newest',
  },
} as const

/** The effect of a policy or a rule in words; an unknown one by its name. */
export const effectText = (effect: string): string =>
  (POLICIES.effects as Readonly<Record<string, string>>)[effect] ?? effect
