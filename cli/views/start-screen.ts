import type { Config } from '#platform/config.ts'
import type { Stack } from '#platform/embedded/supervisor.ts'
import { haltLine, type ListedHalt } from '../commands/halt.ts'
import { pc, printable } from './format.ts'

interface Started {
  tookMs: number
  halts: ListedHalt[]
  /** names of the workspaces that the halts name, by id */
  names: ReadonlyMap<string, string>
  /** why the audit log accepts no records */
  refused: string | undefined
  /** problems of settings and files */
  problems: string[]
}

/** Formats the screen of `svc start` when everything runs: addresses, halts, and problems. */
export function startScreen(
  config: Config,
  stack: Stack,
  { tookMs, halts, names, refused, problems }: Started,
): string[] {
  const api = config.localUrl
  const row = (label: string, value: string) => `  ${pc.dim(label.padEnd(10))} ${value}`
  return [
    '',
    refused === undefined
      ? `  ${pc.bold('svc')} is ready in ${(tookMs / 1_000).toFixed(1)} s`
      : `  ${pc.bold('svc')} runs, and ${pc.red('nothing acts')}: the audit log takes no records`,
    '',
    ...(refused === undefined ? [] : [row('Audit', pc.red(printable(refused)))]),
    row('API', pc.cyan(api)),
    row('Console', pc.cyan(`${api}/console`)),
    row('Docs', pc.cyan(`${api}/docs`)),
    row('Temporal', engine(config, stack)),
    row('Data', config.home),
    ...halts.map((each) => row('Halted', pc.yellow(haltLine(each, names)))),
    ...problems.map((each) => row('Problem', pc.yellow(each))),
    row('Try', `${pc.bold('npm run demo')}   (in another terminal)`),
    '',
    pc.dim('  Ctrl-C stops it. Waiting runs are kept.'),
    '',
  ]
}

/** Formats the address of the engine and of its Web UI, or advice when nothing serves that. */
function engine({ temporal, auth }: Config, { temporalAddress, temporalUiUrl }: Stack): string {
  if (temporalUiUrl !== undefined) return `${temporalAddress}   (Web UI ${pc.cyan(temporalUiUrl)})`
  if (temporal.address !== undefined) return temporalAddress
  const why = auth.jwtSecret === undefined ? 'SVC_TEMPORAL_UI=1 turns it on' : 'it has no sign-in'
  return `${temporalAddress}   ${pc.dim(`(Web UI off: ${why})`)}`
}
