import type { CliDeps } from '../deps.ts'
import { pc, printable } from '../views/format.ts'
import { pairsText, usd } from '../views/run-text.ts'
import type { StartPlan } from './start-plan.ts'

const MARKS: Partial<Record<string, string>> = { pass: '✓', warn: '!', fail: '✗', skipped: '-' }

/** A plan for a person. Text of packs, policies and inputs is not ours. */
export function showPlan(plan: StartPlan, { out }: Pick<CliDeps, 'out'>): void {
  const { pack, template, version, title, risk, environment, profile, config_preset, steps } = plan
  const row = (label: string, text: string) => out(`  ${pc.dim(label.padEnd(13))} ${printable(text)}`)
  out(`${pc.bold(`${printable(pack)}/${printable(template)}`)} ${printable(`${version}  ${title}`)}`)
  row('where', `environment ${environment ?? 'unknown'}, profile ${profile ?? 'unknown'}, risk ${risk}`)
  if (config_preset !== null) row('preset', config_preset)
  showInputs(plan, row)
  row('steps', steps.map(({ step, operator, action_type }) => `${step} (${operator}, ${action_type})`).join(', '))
  for (const { id, status, message, fix } of plan.checks) {
    const failed = status === 'fail'
    row(`${MARKS[status] ?? status} ${id}`, `${message}${failed && fix !== undefined ? `; ${fix}` : ''}`)
  }
  showGovernance(plan, row)
  row('plan hash', plan.plan_hash)
  for (const line of endOf(plan)) out(line)
}

/** The command that runs it, or why there is none. */
function endOf(plan: StartPlan): string[] {
  if (!plan.runnable) return [pc.red(`not runnable: ${printable(whyNot(plan))}`)]
  if (plan.command !== null) return [pc.dim('run exactly this with:'), printable(plan.command)]
  const why = 'an input cannot be written in a command: keep this plan with --json, and give it to svc run --plan'
  return [pc.dim(why)]
}

function showInputs({ inputs, secrets, missing, faults }: StartPlan, row: (label: string, text: string) => void): void {
  for (const [index, name] of Object.keys(inputs).sort().entries())
    row(index === 0 ? 'inputs' : '', pairsText({ [name]: inputs[name] }))
  for (const name of secrets) row('secret', `${name} is given with the start, and is not part of the plan`)
  for (const { name, schema } of missing) {
    const about = [schema['type'], schema['title'], schema['description']].filter((each) => typeof each === 'string')
    row('missing', [name, ...about].join('  '))
  }
  for (const { pointer, msg } of faults) row('wrong', `${pointer || '/'} ${msg}`)
}

function showGovernance(
  { policy, gates_expected, estimate_usd }: StartPlan,
  row: (label: string, text: string) => void,
) {
  const matched = policy.matched.map(({ layer, name, effect }) => `the ${layer} policy ${name} (${effect})`)
  row('policies', [policy.effect, ...matched].join(', '))
  for (const { step, because, approval_roles } of gates_expected) {
    const roles = approval_roles.map((clause) => clause.join(' or ')).join(' and ')
    row('gate', `before ${step}: ${because.join('; ')}${roles && `; approved by ${roles}`}`)
  }
  row('estimate', estimate_usd === null ? 'not known before it runs' : `at most ${usd(estimate_usd)}`)
}

/** Formats in one line why a plan cannot run. */
function whyNot({ missing, checks, faults }: StartPlan): string {
  const failed = checks.filter(({ id, status }) => status === 'fail' && id !== 'inputs')
  const lines = [
    ...(missing.length === 0 ? [] : [`missing ${missing.map(({ name }) => name).join(', ')}`]),
    ...faults.map(({ pointer, msg }) => `${pointer || '/'} ${msg}`),
    ...failed.map(({ message }) => message),
  ]
  const inputs = checks.find(({ id, status }) => id === 'inputs' && status === 'fail')
  return lines.length === 0 && inputs !== undefined ? inputs.message : lines.join('; ')
}
