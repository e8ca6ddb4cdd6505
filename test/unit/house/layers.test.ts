import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** Which of our folders a folder may import from. `types` means `import type` only. */
const MAY_IMPORT: Record<string, { values: string[]; types: string[] }> = {
  core: { values: ['core'], types: [] },
  workflows: { values: ['core', 'workflows'], types: [] },
  store: { values: ['core', 'store'], types: [] },
  platform: { values: ['core', 'platform'], types: [] },
  services: { values: ['core', 'store', 'services'], types: ['platform'] },
  activities: { values: ['core', 'services', 'store', 'activities'], types: ['platform'] },
  api: { values: ['core', 'services', 'api'], types: ['platform'] },
  cli: { values: ['core', 'services', 'platform', 'cli'], types: [] },
  workers: { values: ['core', 'services', 'store', 'platform', 'activities', 'workers'], types: [] },
  bench: {
    values: ['core', 'services', 'store', 'platform', 'activities', 'workers', 'api', 'workflows', 'test', 'bench'],
    types: [],
  },
}

/** Composition roots build the adapters, so they may see what they build. */
const ROOTS = new Set([
  'api/main.ts',
  'api/api-runtime.ts',
  'cli/admin-runtime.ts',
  'services/create-service-deps.ts',
  'cli/main.ts',
  'workers/main.ts',
  'workers/worker-runtime.ts',
  'store/migrate-main.ts',
])

const NEVER: Record<string, RegExp> = {
  core: /^node:|^(hono|postgres|pino|@temporalio\/|@hono\/)/,
  workflows: /^node:|^(zod|yaml|postgres|pino|hono)|^@temporalio\/(client|worker|activity)/,
  services: /^(hono|@hono\/)|^@temporalio\//,
  activities: /^(hono|@hono\/)|^@temporalio\/(worker|workflow|client)/,
  store: /^(hono|@hono\/)|^@temporalio\//,
  platform: /^(hono|@hono\/)/,
  api: /^(postgres|kysely)|^@temporalio\/(worker|workflow)/,
}

interface Import {
  file: string
  specifier: string
  typeOnly: boolean
}

const imports = Object.keys(MAY_IMPORT).flatMap(importsUnder)

function importsUnder(folder: string): Import[] {
  return sourceFiles(folder).flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8')
    const found = text.matchAll(/^\s*(import|export)\s+(type\s+)?([^'"]*?from\s+)?['"]([^'"]+)['"]/gm)
    return [...found].map((match) => ({
      file,
      specifier: match[4] ?? '',
      typeOnly: match[2] !== undefined || allTypes(match[3]),
    }))
  })
}

/** `import { type A, type B } from` brings no value either. */
function allTypes(clause: string | undefined): boolean {
  const names = /\{([^}]*)\}/.exec(clause ?? '')?.[1]
  return names?.split(',').every((name) => name.trim() === '' || name.trim().startsWith('type ')) === true
}

function sourceFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
}

function targetFolder({ file, specifier }: Import): string | undefined {
  if (specifier.startsWith('#')) return specifier.slice(1).split('/')[0]
  if (specifier.startsWith('.')) return new URL(specifier, `file:///${file}`).pathname.split('/')[1]
  return undefined
}

describe('layers', () => {
  test('a folder imports only from the folders below it', () => {
    const wrong = imports.filter((each) => {
      const target = targetFolder(each)
      const folder = each.file.split('/')[0] ?? ''
      const allowed = MAY_IMPORT[folder]
      if (target === undefined || allowed === undefined || ROOTS.has(each.file)) return false
      return !allowed.values.includes(target) && !(each.typeOnly && allowed.types.includes(target))
    })
    expect(wrong.map((each) => `${each.file} imports ${each.specifier}`)).toEqual([])
  })

  test('a folder stays away from the libraries that would break it', () => {
    const wrong = imports.filter((each) => {
      if (ROOTS.has(each.file)) return false
      return NEVER[each.file.split('/')[0] ?? '']?.test(each.specifier) === true && !each.typeOnly
    })
    expect(wrong.map((each) => `${each.file} imports ${each.specifier}`)).toEqual([])
  })

  test('only schema files of core import zod', () => {
    const wrong = imports.filter(
      (each) => each.file.startsWith('core/') && each.specifier === 'zod' && !/(^|[/-])schema\.ts$/.test(each.file),
    )
    expect(wrong.map((each) => each.file)).toEqual([])
  })

  test('core knows neither clock nor chance nor surroundings', () => {
    const wrong = sourceFiles('core').filter((file) => {
      const code = readFileSync(join(ROOT, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
      return /Date\.now|new Date\(\)|Math\.random|process\.|console\.(log|warn|error|info)|setTimeout|fetch\(/.test(
        code,
      )
    })
    expect(wrong).toEqual([])
  })

  test('the environment is read by the composition roots alone', () => {
    const folders = [...Object.keys(MAY_IMPORT).filter((folder) => folder !== 'bench')]
    const wrong = folders.flatMap(sourceFiles).filter((file) => {
      if (ROOTS.has(file)) return false
      return /process\.env/.test(readFileSync(join(ROOT, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, ''))
    })
    expect(wrong).toEqual([])
  })

  test('each choke point exists exactly once', () => {
    const count = (name: string) =>
      Object.keys(MAY_IMPORT)
        .flatMap(sourceFiles)
        .filter((file) =>
          new RegExp(`export (async )?function ${name}\\b|export const ${name}\\b`).test(
            readFileSync(join(ROOT, file), 'utf8'),
          ),
        )
    expect(count('admitRun')).toEqual(['services/runs/admit-run.ts'])
    expect(count('decideGate')).toEqual(['services/approvals/decide-gate.ts'])
    expect(count('executeStep')).toEqual(['activities/execute-step.ts'])
    expect(count('defineRoute')).toEqual(['api/define-route.ts'])
  })
})

describe('the record decides', () => {
  test('what resolves a gate is written by its one writer, its expiry and its cancellation', () => {
    const filesWith = (text: RegExp) =>
      Object.keys(MAY_IMPORT)
        .flatMap(sourceFiles)
        .filter((file) => text.test(readFileSync(join(ROOT, file), 'utf8')))
        .sort()
    expect(filesWith(/\bresolve_gate\(/)).toEqual(['store/gate-decisions.ts'])
    expect(filesWith(/decisions\.resolve\(/)).toEqual([
      'services/approvals/expire-due-gate.ts',
      'services/approvals/record-decision.ts',
      'services/runs/record-cancel.ts',
    ])
  })

  test('a workflow knows neither plans nor votes, and counts nothing', () => {
    const wrong = imports.filter(
      ({ file, specifier }) =>
        file.startsWith('workflows/') && /#core\/(plan|policy)|#core\/gate\/(?!types)/.test(specifier),
    )
    expect(wrong.map((each) => `${each.file} imports ${each.specifier}`)).toEqual([])
  })
})

describe('files', () => {
  test('a file fits on a screen or two', () => {
    const long = Object.keys(MAY_IMPORT)
      .flatMap(sourceFiles)
      .map((file) => ({ file, lines: readFileSync(join(ROOT, file), 'utf8').split('\n').length }))
      .filter(({ lines }) => lines > 350)
    expect(long).toEqual([])
  })
})
