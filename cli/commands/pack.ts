import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { DomainError } from '#core/errors.ts'
import { Slug } from '#core/names/name-schema.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import type { CliDeps } from '../deps.ts'
import { writePack } from '../new/write-new.ts'
import { printable } from '../views/format.ts'
import { CHECK_EXIT, CHECK_STATUS, countText, isWrong, showFindings } from '../views/show-findings.ts'

interface PackFlags {
  strict?: boolean
  json?: boolean
}

interface NewFlags {
  dir?: string
  json?: boolean
}

type PackDeps = Pick<CliDeps, 'checks' | 'config' | 'out' | 'err' | 'exit'>

/** `svc pack new`, `svc pack lint` and `svc pack test`: a pack on its own, from its files. No service is needed. */
export function registerPack(program: Command, deps: PackDeps): void {
  const pack = program.command('pack').description('make packs, check them and run their tests')
  pack
    .command('new <name>')
    .description('make a pack with a template that asks a person, and a test of it')
    .option(
      '--dir <folder>',
      'the folder of packs in which it is made (default: SVC_PACKS_DIR, else packs in SVC_HOME)',
    )
    .option('--json', 'print JSON')
    .action((name: string, flags: NewFlags) => makeNew(deps, name, flags))
  const command = (verb: string, description: string) =>
    pack
      .command(`${verb} <dir>`)
      .description(description)
      .option('--json', 'one JSON record per line')
      .addHelpText('after', CHECK_STATUS)
      .exitOverride((error) => deps.exit(error.exitCode === 0 ? CHECK_EXIT.clean : CHECK_EXIT.usage))
  command('lint', 'check every file of a pack, what it names, and what its readers will miss')
    .option('--strict', 'warnings count as errors')
    .action((dir: string, flags: PackFlags) => lint(deps, dir, flags))
  command(
    'test',
    'compare what a pack compiles to, and what its gates would be, with its tests/*.yaml; nothing runs',
  ).action((dir: string, flags: PackFlags) => test(deps, dir, flags))
}

async function makeNew(deps: PackDeps, name: string, { dir, json }: NewFlags): Promise<void> {
  const [refused] = Slug.safeParse(name).error?.issues ?? []
  if (refused)
    throw new DomainError('validation_failed', `a pack cannot be called "${name}": it takes ${refused.message}`)
  if ((await deps.checks()).isShipped(name))
    throw new DomainError('conflict', `the pack ${name} ships with svc; choose another name`)
  const folder = join(dir === undefined ? deps.config().packsDir : resolve(dir), name)
  const { made } = writePack(folder, name)
  if (json) return deps.out(visibleJson({ pack: name, folder, made }))
  for (const file of made) deps.out(printable(`made  ${file}`))
  deps.out(printable(`Check it with: svc pack test ${folder}`))
  deps.out(`Run it with: svc run ${name}/restart -i url=http://127.0.0.1:8080`)
}

async function lint(deps: PackDeps, dir: string, { json, strict }: PackFlags): Promise<void> {
  const findings = (await deps.checks()).lint(dir)
  if (findings === undefined) return noPack(deps, dir)
  showFindings(findings, json, deps)
  if (!json) deps.out(findings.length === 0 ? 'Nothing is wrong.' : countText(findings))
  if (isWrong(findings, strict)) deps.exit(CHECK_EXIT.errors)
}

async function test(deps: PackDeps, dir: string, { json }: PackFlags): Promise<void> {
  const results = (await deps.checks()).tests(dir)
  if (results === undefined) return noPack(deps, dir)
  const failed = [...results.faults, ...results.failed]
  for (const { file, name } of results.passed)
    deps.out(json ? visibleJson({ outcome: 'passed', file, name }) : printable(`passed  ${file}: ${name}`))
  showFindings(failed, json, deps)
  if (!json) deps.out(`${results.passed.length} passed, ${failed.length} failed`)
  if (results.passed.length + failed.length === 0) deps.err(printable(`there are no tests in ${dir}/tests`))
  if (failed.length > 0) deps.exit(CHECK_EXIT.errors)
}

function noPack({ err, exit }: PackDeps, dir: string): never {
  err(printable(`there is no pack.yaml in ${dir}`))
  return exit(CHECK_EXIT.usage)
}
