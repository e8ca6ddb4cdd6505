// The real neighbours for people who want to play: npm run lab [-- <directory>]
import { loadConfig } from '#platform/config.ts'
import { startLab } from './lab.ts'
import { labPrograms } from './lab-programs.ts'

const { apiUrl, auth } = loadConfig(process.env)
process.stdout.write('Starting Prometheus and Alertmanager …\n')
// until they are here there is nothing to clean up: Ctrl-C ends it as it ends any program, with what it fetches by
const programs = await labPrograms().catch(refuse)
const starting = startLab({ programs, svc_url: apiUrl, token: auth.token, dir: process.argv[2] })

let stopping: Promise<void> | undefined
const stop = () => {
  // Ctrl-C arrives twice: from the terminal and through npm
  stopping ??= starting.then(
    (lab) => lab.stop(),
    () => undefined,
  )
  void stopping.then(() => process.exit(0))
}
process.on('SIGINT', stop)
process.on('SIGTERM', stop)

try {
  const lab = await starting
  await lab.watched()
  process.stdout.write(`
  demo service   ${lab.demo.url}/health
  Prometheus     ${lab.prometheus_url}
  Alertmanager   ${lab.alertmanager_url}
  alerts go to   ${apiUrl}/triggers/alert${auth.token === undefined ? '' : ' (with SVC_TOKEN)'}
  files          ${lab.dir}

  1. break it          curl -X POST ${lab.demo.url}/fault
  2. some seconds on   curl '${apiUrl}/runs?status=awaiting_approval'
  3. say yes           npx svc remote approve <run_id> --watch
  4. it is well again  curl ${lab.demo.url}/health
  5. what is on record npx svc lineage <run_id>

  Healed by itself:    curl -X DELETE ${lab.demo.url}/fault
  Ctrl-C ends it.
`)
} catch (error) {
  // Ctrl-C while it starts takes away what it waits for
  if (stopping !== undefined) await stopping
  refuse(error)
}

function refuse(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(69)
}
