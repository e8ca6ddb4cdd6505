import type { Command } from 'commander'
import type { Schema } from '#client/create-client.ts'
import type { FileFault } from '#core/file-fault.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import type { Explanation } from '#platform/check/explain-deployment.ts'
import type { Probe } from '#platform/check/reach.ts'
import { ConfigError } from '#platform/config.ts'
import type { CliDeps } from '../deps.ts'
import { printable } from '../views/format.ts'
import { CHECK_EXIT, CHECK_STATUS, countText, isWrong, showFindings } from '../views/show-findings.ts'
import { type Column, tableLines } from '../views/table.ts'

interface CheckFlags {
  connect?: boolean
  send?: boolean
  online?: boolean
  explain?: boolean
  environment?: string
  template?: string
  strict?: boolean
  json?: boolean
}

type CheckDeps = Pick<CliDeps, 'checks' | 'out' | 'exit'> & {
  api(): Pick<ReturnType<CliDeps['api']>, 'describe' | 'connections'>
}

/** `svc check`: every file of a deployment, and everything that one of them names. */
export function registerCheck(program: Command, deps: CheckDeps): void {
  program
    .command('check')
    .description('check all files of this deployment, and everything that one of them names')
    .argument(
      '[dir]',
      'a directory laid out like SVC_HOME, with packs/, policies/ and pipelines/ in it (default: the settings say where)',
    )
    .option('--connect', 'ask the host of every connection whether it answers')
    .option('--send', 'send a test message to every channel')
    .option(
      '--online',
      'ask the running service for what only it knows: console policies, roles, what it could not use',
    )
    .option('--explain', 'show the outcome of each step of each template in each environment')
    .option('--environment <name>', 'explain only this environment')
    .option('--template <pack/template>', 'explain only this template')
    .option('--strict', 'warnings count as errors')
    .option('--json', 'one JSON record per line')
    .addHelpText('after', CHECK_STATUS)
    .exitOverride((error) => deps.exit(error.exitCode === 0 ? CHECK_EXIT.clean : CHECK_EXIT.usage))
    .action((dir: string | undefined, flags: CheckFlags) => check(deps, dir, flags))
}

async function check(deps: CheckDeps, dir: string | undefined, flags: CheckFlags): Promise<void> {
  const { json, strict, environment, template } = flags
  const checks = await deps.checks()
  try {
    const checked = checks.deployment(dir, flags.online)
    const probes = [
      ...(flags.connect ? await checks.connections(checked) : []),
      ...(flags.send ? await checks.channels(checked) : []),
    ]
    const reported = flags.online ? await reportedBy(deps, checked.findings, (pack) => checks.ships(checked, pack)) : []
    const settings = dir === undefined ? checks.settings(checked) : []
    const findings = [
      ...settings,
      ...checked.findings,
      ...checks.secrets(checked),
      ...reported,
      ...probes.filter(({ ok }) => !ok).map(problem),
    ]
    showFindings(findings, json, deps)
    showProbes(
      probes.filter(({ ok }) => ok),
      json,
      deps,
    )
    if (flags.explain || environment !== undefined || template !== undefined) {
      const only = { ...(environment !== undefined && { environment }), ...(template !== undefined && { template }) }
      showExplanations(checks.explain(checked, only), json, deps)
    }
    if (!json) deps.out(findings.length === 0 ? 'Nothing is wrong.' : countText(findings))
    if (isWrong(findings, strict)) deps.exit(CHECK_EXIT.errors)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const findings = error.problems.map(({ name, got, takes }) => ({
      file: name,
      message: `is ${got}; it takes ${takes}`,
    }))
    showFindings(findings, json, deps)
    deps.exit(CHECK_EXIT.errors)
  }
}

function problem({ kind, name, detail }: Probe): FileFault {
  return { file: `${kind} ${name}`, message: detail }
}

/** Returns problems that the service reports and the files did not show. */
async function reportedBy(
  deps: Pick<CheckDeps, 'api'>,
  known: readonly FileFault[],
  ships: (pack: string) => boolean,
): Promise<FileFault[]> {
  const api = deps.api()
  const [health, connections] = await Promise.all([api.describe(), api.connections()])
  const {
    channels = [],
    packs = [],
    environments = [],
    policies = [],
    schedules = [],
    ingress = [],
    problems = [],
    undelivered = [],
  } = health
  const all: FileFault[] = [
    ...problems,
    ...channels.map(({ channel, problem }) => ({ file: `channel ${channel ?? ''}`.trim(), message: problem })),
    ...packs.flatMap((pack) => pack.problems.map((message) => ({ file: `pack ${pack.pack}`, message }))),
    ...[...environments, ...policies].map((message) => ({ file: 'service', message })),
    ...schedules.map(({ schedule, ...place }) => ({ ...place, message: `${schedule ?? ''} ${place.message}`.trim() })),
    // the ingress of a shipped pack need not be used
    ...ingress
      .filter(({ file }) => !ships(file.replace(/\/.*/, '')))
      .map(({ ingress: name, ...place }) => ({
        ...place,
        message: `${name}: ${place.message}`,
        warning: true,
      })),
    ...connections.flatMap(connectionFault),
    ...undelivered.map(({ channel, detail, count }) => ({
      file: `channel ${channel}`,
      message: `${count} not delivered: ${detail}`,
      warning: true,
    })),
  ]
  const isKnown = ({ message }: FileFault) =>
    known.some((each) => each.message.includes(message) || message.includes(each.message))
  return all.filter((each) => !isKnown(each))
}

/** A connection that steps use and that cannot be used is an error; one that soon cannot, or that nothing uses yet, a warning. */
function connectionFault({ name, status, problem, bound_by }: Schema<'Connection'>): FileFault[] {
  if (problem === undefined) return []
  const is_error = status === 'failed' && bound_by.length > 0
  return [{ file: `connection ${name}`, message: problem, ...(!is_error && { warning: true }) }]
}

function showProbes(probes: readonly Probe[], json: boolean | undefined, { out }: CheckDeps): void {
  for (const { ok: _ok, ...probe } of probes)
    out(
      json ? visibleJson({ severity: 'ok', ...probe }) : printable(`ok  ${probe.kind} ${probe.name}: ${probe.detail}`),
    )
}

const EXPLAINED: readonly Column<Explanation>[] = [
  { title: 'TEMPLATE', text: ({ template }) => template },
  { title: 'ENVIRONMENT', text: ({ environment }) => environment },
  { title: 'STEP', text: ({ step }) => step ?? '(no run begins)' },
  { title: 'OUTCOME', text: ({ outcome }) => outcome },
  {
    title: 'BECAUSE',
    text: ({ approval_roles, because }) =>
      [...approval_roles.map((clause) => `role ${clause.join(' or ')}`), ...because].join('; '),
  },
]

function showExplanations(explanations: readonly Explanation[], json: boolean | undefined, { out }: CheckDeps): void {
  if (json) {
    for (const each of explanations) out(visibleJson(each))
    return
  }
  for (const line of tableLines(EXPLAINED, explanations)) out(line)
}
