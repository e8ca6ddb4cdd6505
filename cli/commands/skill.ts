import type { Command } from 'commander'
import { DomainError } from '#core/errors.ts'
import type { Skill } from '#core/skill/skill.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import type { CliDeps } from '../deps.ts'
import { EXIT } from '../exit-codes.ts'
import { printable } from '../views/format.ts'

type SkillDeps = Pick<CliDeps, 'config' | 'out' | 'err' | 'exit'>

/** `svc skill lint` and `svc skill list`: the skills of this installation, from their files. No service is needed. */
export function registerSkill(program: Command, deps: SkillDeps): void {
  const skill = program
    .command('skill')
    .description('check and list skills, which start runs by the clock or on events')
  skill
    .command('lint')
    .description('check a SKILL.md, or all of a folder, with the templates that they start')
    .argument('<path>', 'a SKILL.md, its folder, a folder of skills, or a pack')
    .option('--json', 'one JSON record per line, faults too')
    .addHelpText('after', '\nExit status: 0 sound, 1 faults, 66 no SKILL.md there.')
    .action((path: string, flags: { json?: boolean }) => lint(path, flags.json === true, deps))
  skill
    .command('list')
    .description('list the skills of the packs and of this deployment, and what makes them start runs')
    .option('--json', 'one JSON record per line')
    .addHelpText('after', '\nExit status: 0 all are sound, 1 some are broken and start nothing.')
    .action((flags: { json?: boolean }) => list(flags.json === true, deps))
}

/** Loaded on demand: it includes the compiler of packs. */
async function files() {
  const [{ faultText }, { packDirs }, skills, { SKILL_KEYS }] = await Promise.all([
    import('#core/file-fault.ts'),
    import('#platform/packs/pack-registry.ts'),
    import('#platform/skills/inspect-skills.ts'),
    import('#core/skill/skill-schema.ts'),
  ])
  return { faultText, packDirs, keys: SKILL_KEYS, ...skills }
}

async function lint(path: string, asJson: boolean, deps: SkillDeps): Promise<void> {
  const { faultText, packDirs, lintSkills, keys } = await files()
  const linted = lintSkills(path, { dirs: packDirs(deps.config().packsDir) })
  if (linted === undefined) throw new DomainError('not_found', `there is no SKILL.md at ${path}`)
  for (const each of linted) {
    if (asJson) for (const item of Array.isArray(each) ? each : [record(each)]) deps.out(visibleJson(item))
    else if (Array.isArray(each)) for (const fault of each) deps.err(printable(faultText(fault)))
    else for (const line of [`${each.file}: sound, ${startText(each)}`, ...notes(each, keys)]) deps.out(printable(line))
  }
  if (linted.some(Array.isArray)) deps.exit(EXIT.failed)
}

async function list(asJson: boolean, deps: SkillDeps): Promise<void> {
  const { faultText, packDirs, inspectSkills } = await files()
  const { packsDir, home } = deps.config()
  const { skills, faults } = inspectSkills({ dirs: packDirs(packsDir), home })
  for (const skill of skills)
    deps.out(asJson ? visibleJson(record(skill)) : printable(`${skill.id}  ${startText(skill)}`))
  for (const fault of faults) deps.err(printable(faultText(fault)))
  if (faults.length > 0) deps.exit(EXIT.failed)
}

function record({ id, layer, description, file, start }: Skill) {
  return { id, layer, description, file, ...(start !== undefined && { start }) }
}

/** Returns keys of the file without effect here: meant for other tools, or misspelt. */
function notes({ file, frontmatter }: Skill, keys: ReadonlySet<string>): string[] {
  return Object.keys(frontmatter)
    .filter((key) => !keys.has(key))
    .map((key) => `${file}: note: the key ${key} is kept, but nothing here reads it`)
}

function startText({ frontmatter, start }: Skill): string {
  if (start === undefined) return frontmatter['enabled'] === false ? 'switched off' : 'starts nothing by itself'
  const run = `${start.pack}/${start.template}${start.dry_run ? ' (dry run)' : ''}`
  const clock = start.cron === undefined ? [] : [`by the clock ${start.cron.cron} ${start.cron.timezone}`]
  const topics = start.on.length === 0 ? [] : [`on ${start.on.join(', ')}`]
  return `starts ${run} ${[...clock, ...topics].join(' and ')}`
}
