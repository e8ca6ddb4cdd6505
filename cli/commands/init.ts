import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { visibleJson } from '#core/text/visible-text.ts'
import type { CliDeps } from '../deps.ts'
import { writeHome } from '../new/write-new.ts'
import { printable } from '../views/format.ts'

type InitDeps = Pick<CliDeps, 'config' | 'out'>

/** `svc init`: the files that people write in a data directory, with examples. No service is needed. */
export function registerInit(program: Command, deps: InitDeps): void {
  program
    .command('init')
    .description('make the files of a data directory that people write, with examples; what is there stays as it is')
    .argument('[dir]', 'the data directory (default: SVC_HOME)')
    .option('--json', 'print JSON')
    .action((dir: string | undefined, { json }: { json?: boolean }) => init(deps, dir, json))
}

function init(deps: InitDeps, dir: string | undefined, json: boolean | undefined): void {
  const usual = deps.config().home
  const home = dir === undefined ? usual : resolve(dir)
  const { made, kept } = writeHome(home)
  if (json) {
    deps.out(visibleJson({ home, made, kept }))
    return
  }
  for (const file of made) deps.out(printable(`made  ${file}`))
  for (const file of kept) deps.out(printable(`kept  ${file}`))
  const start = home === usual ? 'npm start' : `SVC_HOME=${home} npm start`
  deps.out(printable(`Start the service with: ${start}`))
  deps.out(printable(`Make a pack of your own, in ${join(home, 'packs')}, with: svc pack new my-pack`))
}
