/**
 * The policy law a second time, written from its text (spec section 2, docs/policies.md) and for reading, not for speed: no index,
 * no merge, no schema. It shares no code with what it checks.
 */

/** One policy document, as somebody wrote it and where. */
export interface WrittenPolicy {
  layer: 'pack' | 'overlay' | 'console'
  /** the pack, the file or the console policy's row */
  source: string
  pack?: string
  /** console policies are stored under a name */
  stored_as?: string
  document: unknown
}

export interface NaiveStep {
  environment: { name: string; class: string }
  template: { risk: string; action_types: string[] }
  step: { action_type?: string; requires_approval: boolean }
  operator: { says: string; risk: string; capabilities: string[]; requires_approval: boolean }
  /** the profile's list */
  profile: string[]
}

export interface NaiveVerdict {
  is_read: boolean
  effect: string
  dry_run: boolean
  /** `name effect` of every rule that counts */
  counted: string[]
  roles: string[]
  channels: string[]
  note: string
  prevent_self: boolean
  approvals: number
  broken: string[]
  gate: { operator: boolean; profile: boolean; policy: boolean; pack: boolean }
}

interface Scope {
  environments: string[]
  risks: string[]
  action_types: string[]
  capabilities: string[]
}
interface Rule {
  effect: string
  channels: string[]
  approval_role?: string
  require_note?: string
  prevent_self?: boolean
  min_approvals?: number
}
/** A policy that was read: sound with rules, or broken. */
interface Read extends WrittenPolicy {
  name: string | undefined
  scope: Scope
  rules: Rule[] | undefined
}
interface Subject {
  environments: string[]
  production: boolean
  risk: string
  action_types: string[]
  capabilities: string[]
}

const STRICTNESS = ['deny', 'require_hitl', 'require_dry_run', 'allow_auto']
const RISKS = ['low', 'medium', 'high']
const NOTES = ['always', 'reject']
const EVERYWHERE: Scope = { environments: [], risks: [], action_types: [], capabilities: [] }
const nfc = (text: string) => text.normalize('NFC')

/** What one set of policies says of any step. */
export function naiveLaw(written: WrittenPolicy[], attached: string[]): (about: NaiveStep) => NaiveVerdict {
  const inForce = policiesInForce(written, attached.map(nfc))
  return (about) => naiveVerdict(inForce, about)
}

function naiveVerdict(inForce: Read[], about: NaiveStep): NaiveVerdict {
  const { says } = about.operator
  const declared = about.step.action_type
  const is_read = says === 'read' && (declared === undefined || declared === 'read')
  const all = is_read ? ['read'] : [says, ...(declared === undefined ? [] : [declared]), ...about.template.action_types]
  const higher = RISKS.indexOf(about.template.risk) > RISKS.indexOf(about.operator.risk)
  const judgements = [
    subjectOf(about, higher ? about.template.risk : about.operator.risk, all),
    subjectOf(about, about.operator.risk, [says]),
  ].map((subject) => judge(inForce, subject))

  const effects = judgements.map(({ effect }) => effect)
  const effect = STRICTNESS.find((each) => effects.includes(each)) ?? 'deny'
  const counted = judgements.flatMap((judgement) => judgement.counted)
  const rules = judgements.flatMap((judgement) => judgement.rules)
  const broken = judgements.flatMap((judgement) => judgement.broken)
  const asking = rules.filter((rule) => rule.effect === 'require_hitl' && rule.approval_role)
  return {
    is_read,
    effect,
    dry_run: rules.some((rule) => rule.effect === 'require_dry_run'),
    counted: setOf(counted),
    roles: setOf(asking.map((rule) => nfc(rule.approval_role ?? ''))),
    channels: setOf(rules.flatMap((rule) => rule.channels)),
    note: NOTES.find((note) => judgements.some((judgement) => judgement.notes.includes(note))) ?? 'none',
    prevent_self: rules.some((rule) => rule.effect === 'require_hitl' && rule.prevent_self === true),
    approvals: rules.reduce(
      (most, rule) => (rule.effect === 'require_hitl' ? Math.max(most, rule.min_approvals ?? 1) : most),
      1,
    ),
    broken: setOf(broken),
    gate: {
      operator: about.operator.requires_approval,
      profile: all.some((type) => about.profile.includes(type)),
      policy: effect === 'require_hitl' || broken.length > 0,
      pack: about.step.requires_approval,
    },
  }
}

function subjectOf(about: NaiveStep, risk: string, action_types: string[]): Subject {
  const classes = ['production', 'staging', 'development', 'sandbox']
  const known = classes.includes(about.environment.class) ? about.environment.class : 'production'
  return {
    environments: [nfc(about.environment.name), known],
    production: known === 'production',
    risk,
    action_types: action_types.map(nfc),
    capabilities: about.operator.capabilities.map(nfc),
  }
}

function judge(inForce: Read[], subject: Subject) {
  const counted: string[] = []
  const rules: Rule[] = []
  const notes: string[] = []
  const broken: string[] = []
  let isLet = false
  for (const policy of inForce) {
    const { scope } = policy
    const place = one(scope.environments, subject.environments) && one(scope.risks, [subject.risk])
    // one value is enough for what stops and asks
    const touches =
      place && one(scope.action_types, subject.action_types) && one(scope.capabilities, subject.capabilities)
    // what lets through must list every value
    const covers =
      place && every(scope.action_types, subject.action_types) && every(scope.capabilities, subject.capabilities)
    if (policy.rules === undefined) {
      if (touches) broken.push(policy.name ?? policy.source)
      continue
    }
    for (const rule of policy.rules) {
      // a note is something that is asked for, no matter what else its rule does
      if (touches && rule.require_note) notes.push(rule.require_note)
      if (rule.effect === 'allow_auto' ? !covers : !touches) continue
      if (covers && (rule.effect === 'allow_auto' || rule.effect === 'require_dry_run')) isLet = true
      rules.push(rule)
      counted.push(`${policy.name} ${rule.effect}`)
    }
  }
  // in production a person is asked unless something lets through all that the step is, by itself or after a dry run
  const usual = subject.production && !isLet ? 'require_hitl' : 'allow_auto'
  const effects = [...rules.map((rule) => rule.effect), ...broken.map(() => 'require_hitl'), usual]
  return { effect: STRICTNESS.find((each) => effects.includes(each)) ?? 'deny', counted, rules, notes, broken }
}

function one(list: string[], values: string[]): boolean {
  return list.length === 0 || values.some((value) => list.includes(value))
}

function every(list: string[], values: string[]): boolean {
  return list.length === 0 || (values.length > 0 && values.every((value) => list.includes(value)))
}

/** The layers, last wins by name; nothing broken ever replaces anything; what is attached and not there asks a person everywhere. */
function policiesInForce(written: WrittenPolicy[], attached: string[]): Read[] {
  const read = written.map(readPolicy)
  const candidates = read.filter(({ layer, name }) => layer !== 'console' || attached.includes(name ?? ''))
  const isTwin = (policy: Read) =>
    policy.name !== undefined &&
    candidates.some(
      (other) =>
        other !== policy && other.layer === policy.layer && other.pack === policy.pack && other.name === policy.name,
    )
  const judged = candidates.map((policy) => (isTwin(policy) ? { ...policy, rules: undefined } : policy))
  const order = ['pack', 'overlay', 'console']
  const inForce = judged.filter(
    (policy) =>
      policy.name === undefined ||
      !judged.some(
        (above) =>
          above.rules !== undefined &&
          above.name === policy.name &&
          order.indexOf(above.layer) > order.indexOf(policy.layer),
      ),
  )
  const dangling = [...new Set(attached)].filter(
    (name) => !read.some((policy) => policy.layer === 'console' && policy.name === name),
  )
  return [
    ...inForce,
    ...dangling.map(
      (name): Read => ({
        layer: 'console',
        source: 'attached',
        document: undefined,
        name,
        scope: EVERYWHERE,
        rules: undefined,
      }),
    ),
  ]
}

function readPolicy(written: WrittenPolicy): Read {
  const { document, stored_as } = written
  const fields = isObject(document) ? document : {}
  const own = isText(fields['name']) ? nfc(fields['name']) : undefined
  const name = stored_as === undefined ? own : nfc(stored_as)
  const scope = readScope(fields['applies_to'])
  const isSound =
    isObject(document) &&
    onlyKeys(document, ['apiVersion', 'name', 'description', 'applies_to', 'rules']) &&
    (document['apiVersion'] === undefined || document['apiVersion'] === 'svc/v1') &&
    (document['description'] === undefined || typeof document['description'] === 'string') &&
    own !== undefined &&
    own === name &&
    scope !== undefined &&
    Array.isArray(document['rules']) &&
    document['rules'].length > 0 &&
    document['rules'].every(isRule)
  return {
    ...written,
    name,
    scope: scope ?? EVERYWHERE,
    rules: isSound
      ? (fields['rules'] as Record<string, unknown>[]).map((rule) => ({
          effect: String(rule['effect']),
          channels: ((rule['channels'] ?? []) as string[]).map(nfc),
          ...(rule['approval_role'] !== undefined && { approval_role: String(rule['approval_role']) }),
          ...(rule['require_note'] !== undefined && { require_note: String(rule['require_note']) }),
          ...(rule['prevent_self'] !== undefined && { prevent_self: true }),
          ...(rule['min_approvals'] !== undefined && { min_approvals: Number(rule['min_approvals']) }),
        }))
      : undefined,
  }
}

/** undefined when only half of it can be read. */
function readScope(value: unknown): Scope | undefined {
  if (value === undefined || value === null) return EVERYWHERE
  const names = ['environments', 'risks', 'action_types', 'capabilities']
  if (!isObject(value) || !onlyKeys(value, names)) return undefined
  const lists = names.map((name) => value[name] ?? [])
  if (!lists.every(isTexts) || !isTexts(lists[1]) || !lists[1].every((risk) => RISKS.includes(risk))) return undefined
  const [environments = [], risks = [], action_types = [], capabilities = []] = lists.map((list) => list.map(nfc))
  return { environments, risks, action_types, capabilities }
}

function isRule(rule: unknown): boolean {
  return (
    isObject(rule) &&
    onlyKeys(rule, [
      'effect',
      'reason',
      'channels',
      'approval_role',
      'require_note',
      'prevent_self',
      'min_approvals',
    ]) &&
    STRICTNESS.includes(String(rule['effect'])) &&
    (rule['reason'] === undefined || typeof rule['reason'] === 'string') &&
    (rule['channels'] === undefined || rule['channels'] === null || isTexts(rule['channels'])) &&
    (rule['approval_role'] === undefined || isText(rule['approval_role'])) &&
    (rule['require_note'] === undefined || NOTES.includes(String(rule['require_note']))) &&
    (rule['prevent_self'] === undefined || rule['prevent_self'] === true) &&
    (rule['min_approvals'] === undefined || isCount(rule['min_approvals']))
  )
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 100
}

function onlyKeys(value: Record<string, unknown>, keys: string[]): boolean {
  return Object.keys(value).every((key) => keys.includes(key))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText)
}

function setOf(values: string[]): string[] {
  return [...new Set(values)].sort()
}
