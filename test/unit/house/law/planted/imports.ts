import { plant } from './plant.ts'

export const LAYERS = [
  plant(
    'a layer above',
    'core/a01.ts',
    "import { getRun } from '#services/runs/get-run.ts'\nexport const x = getRun",
    /imports #services/,
  ),
  plant(
    'a relative way up',
    'core/run/a02.ts',
    "export { createDb } from '../../store/db.ts'",
    /imports \.\.\/\.\.\/store/,
  ),
  plant(
    'a type of a layer above',
    'core/a03.ts',
    "import type { Db } from '#store/db.ts'\nexport type X = Db",
    /imports #store/,
  ),
  plant('a type in its place', 'core/a04.ts', "export type X = import('#store/db.ts').Db", /imports #store/),
  plant(
    'platform as values in a service',
    'services/runs/a05.ts',
    "import { type Logger, createLogger } from '#platform/logger.ts'\nexport const x = createLogger",
    /imports #platform.*import type/,
  ),
  plant(
    'a layer loaded later',
    'services/runs/a06.ts',
    "export const x = async () => (await import('#api/app.ts')).createApp",
    /imports #api/,
  ),
  plant('everything of a layer passed on', 'activities/a07.ts', "export * from '#api/registry.ts'", /imports #api/),
  plant(
    'a program of test started by its path',
    'cli/a24.ts',
    "import { programArgs } from '#platform/program/program-args.ts'\nexport const x = programArgs('test/support/poll.ts')",
    /names test\/support\/poll\.ts/,
  ),
  plant(
    'a file of test read by a path that is put together',
    'platform/a25.ts',
    "const folder = '../test'\nexport const x = new URL(folder + '/unit/poll.ts', 'file:///')",
    /names \.\.\/test\/unit/,
  ),
  plant(
    'test code in the product',
    'platform/a08.ts',
    "import { poll } from '#test/support/poll.ts'\nexport const x = poll",
    /imports #test/,
  ),
  plant(
    'plans in a workflow',
    'workflows/a09.ts',
    "import { compile } from '#core/plan/compile.ts'\nexport const x = compile",
    /A workflow knows names only/,
  ),
  plant(
    'store in a route',
    'api/routes/runs/a10.ts',
    "import { createRunViews } from '#store/run-views.ts'\nexport const x = createRunViews",
    /imports #store/,
  ),
  plant(
    'a service in the console',
    'console/src/features/a11.tsx',
    "import { getRun } from '#services/runs/get-run.ts'\nexport const x = getRun",
    /imports #services.*The console is one more client/,
  ),
  plant(
    'a shape of core in the console',
    'console/src/lib/a12.ts',
    "import type { Run } from '../../../core/run/schema.ts'\nexport type X = Run",
    /imports .*core.*The console is one more client/,
  ),
]

export const PACKAGES = [
  plant(
    'a driver in core',
    'core/b01.ts',
    "import postgres from 'postgres'\nexport const x = postgres",
    /imports postgres/,
  ),
  plant(
    'a built-in without its prefix',
    'core/b02.ts',
    "import { readFileSync } from 'fs'\nexport const x = readFileSync",
    /imports node:fs/,
  ),
  plant('a part of a package', 'core/b03.ts', "import x from 'ulid/dist/index.js'\nexport { x }", /imports ulid/),
  plant(
    'a package that nobody listed',
    'services/b04.ts',
    "import left from 'left-pad'\nexport const x = left",
    /imports left-pad/,
  ),
  plant(
    'a built-in loaded later',
    'core/b05.ts',
    "export const x = async () => await import('node:crypto')",
    /imports node:crypto/,
  ),
  plant(
    'a name put together',
    'core/b06.ts',
    "const kind = 'crypto'\nexport const x = () => import('node:' + kind)",
    /imports node:crypto/,
  ),
  plant(
    'a name that is computed',
    'services/b07.ts',
    'export const x = (name: string) => import(name)',
    /imports a name that is computed/,
  ),
  plant(
    'require',
    'services/b08.ts',
    "declare const require: (name: string) => unknown\nexport const x = require('hono')",
    /imports hono/,
  ),
  plant(
    'require of ones own making',
    'store/b09.ts',
    "import { createRequire } from 'node:module'\nexport const x = createRequire(import.meta.url)('pino')",
    /imports pino/,
  ),
  plant(
    'import with an equals sign',
    'core/b10.ts',
    "import fs = require('node:fs')\nexport const x = fs",
    /imports node:fs/,
  ),
  plant(
    'a framework as a type',
    'services/b11.ts',
    "import type { Context } from 'hono'\nexport type X = Context",
    /imports hono/,
  ),
  plant(
    'a package passed on',
    'workflows/b12.ts',
    "export { Client } from '@temporalio/client'",
    /imports @temporalio\/client/,
  ),
  plant(
    'shapes outside of schema files',
    'core/run/b13.ts',
    "import { z } from 'zod'\nexport const x = z",
    /imports zod.*schema\.ts/,
  ),
  plant(
    'a built-in by its getter',
    'services/b14.ts',
    "export const x = process.getBuiltinModule('node:fs')",
    /imports node:fs/,
  ),
  plant(
    'a package of the server in the console',
    'console/src/lib/b15.ts',
    "import { Hono } from 'hono'\nexport const x = Hono",
    /imports hono/,
  ),
  plant(
    'a heavy package outside of its chunk',
    'console/src/features/runs/b16.tsx',
    "import Markdown from 'react-markdown'\nexport const x = Markdown",
    /imports react-markdown/,
  ),
]
