import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { toolsOf } from '#api/mcp/tools.ts'
import { PROBLEM_CODES, PROBLEMS } from '#api/problem.ts'
import { routes } from '#api/registry.ts'
import type { CliDeps } from '#cli/deps.ts'
import { EXIT, exitCodeOf } from '#cli/exit-codes.ts'
import { createProgram } from '#cli/program.ts'
import { AUDIT_CATEGORIES } from '#core/audit/types.ts'
import { RUN_EVENT_TYPES } from '#core/run/event.ts'
import { loadConfig } from '#platform/config.ts'
import { describeConfig } from '#platform/describe-config.ts'
import { createMetrics } from '#platform/metrics.ts'
import { apiDocument } from '#test/support/api-document.ts'
import manifest from '../../../package.json' with { type: 'json' }
import { readFolders } from '../house/sources.ts'
import { auditActions } from './audit-actions.ts'
import { clientTypes } from './client-types.ts'
import { expectPinned, expectWritten, pinnedFiles } from './pin.ts'

const DOCS = new URL('../../../docs/errors/', import.meta.url)
/** What ends a step and never a request, and has a page all the same. */
const STEP_FAILURES = ['not_a_read']
/** Nobody asks anything of these before a command runs. */
const NO_DEPS = {} as CliDeps

test('the description of the API', () => {
  expectPinned('openapi.json', `${JSON.stringify(apiDocument(), null, 2)}\n`)
})

test('the types that the client of the API is made of', async () => {
  expectWritten('client/api.generated.ts', await clientTypes(apiDocument()))
})

test('error codes, their statuses, the exit codes of commands, and their pages', () => {
  const rows = PROBLEM_CODES.map((code) => {
    const page = existsSync(new URL(`${code}.md`, DOCS)) ? `docs/errors/${code}.md` : 'no page'
    return [PROBLEMS[code].status, code, PROBLEMS[code].title, `exit ${exitCodeOf(code)}`, page].join(' | ')
  })
  const exits = Object.entries(EXIT).map(([name, code]) => `${code} ${name}`)
  expectPinned('errors.txt', lines('status | code | title | exit code of svc | page', ...rows, '', ...exits))
})

test('a page is about an error code, or about a failure of a step that an operator names', () => {
  const pages = readdirSync(DOCS).map((name) => name.replace(/\.md$/, ''))
  expect(pages.sort()).toEqual([...PROBLEM_CODES, ...STEP_FAILURES].sort())
  const texts = readFolders(['activities/operators']).map(({ text }) => text)
  for (const code of STEP_FAILURES) {
    expect(
      texts.some((text) => new RegExp(`new OperatorError\\(\\s*'${code}'`).test(text)),
      code,
    ).toBe(true)
    expect(readFileSync(new URL(`${code}.md`, DOCS), 'utf8'), code).not.toMatch(/\bHTTP \d/)
  }
})

test('types of events', () => {
  expectPinned('events.txt', lines(...RUN_EVENT_TYPES))
})

test('categories and actions of audit records', () => {
  const sources = readFolders(['core', 'services', 'activities', 'store', 'workers', 'api', 'platform'])
  expectPinned('audit.txt', lines(...AUDIT_CATEGORIES, '', ...auditActions(sources)))
})

test('what agents are offered', () => {
  const tools = [...toolsOf(routes, apiDocument()).values()].map(({ shown }) => shown)
  expectPinned('mcp-tools.json', `${JSON.stringify(tools, null, 2)}\n`)
})

test('settings', () => {
  const rows = describeConfig(loadConfig({})).map(({ name, default: preset, takes, meaning }) => {
    const shown = preset === null ? 'unset' : preset.replace(homedir(), '~')
    return `${name} = ${shown}\n  ${meaning}. Takes ${takes}.`
  })
  expectPinned('settings.txt', lines(...rows))
})

test('metrics of our own', async () => {
  const { body } = await createMetrics().text()
  const described = body.split('\n').filter((line) => /^# (HELP|TYPE) (svc|http)_/.test(line))
  expectPinned('metrics.txt', lines(...described))
})

test('what every command says of itself', () => {
  expectPinned('cli.txt', lines(...helpOf(createProgram(manifest, NO_DEPS))))
})

test('nothing else is pinned', () => {
  expect(pinnedFiles()).toEqual([
    'audit.txt',
    'cli.txt',
    'errors.txt',
    'events.txt',
    'mcp-tools.json',
    'metrics.txt',
    'openapi.json',
    'settings.txt',
  ])
})

/** The help of a command and of those below it, in a width of our own. */
function helpOf(command: Command): string[] {
  command.configureOutput({ getOutHelpWidth: () => 120, getOutHasColors: () => false })
  return [command.helpInformation(), ...command.commands.flatMap(helpOf)]
}

function lines(...texts: string[]): string {
  return `${texts.join('\n')}\n`
}
