// node console/build.mjs <folder>: builds the console into that folder
import { resolve } from 'node:path'
import { argv, env } from 'node:process'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const [folder] = argv.slice(2)
if (folder === undefined) throw new Error('node console/build.mjs <folder>')
// anyone who builds it from a test or by hand gets what is served, and not React for developers
env.NODE_ENV = 'production'
await build({
  configFile: fileURLToPath(new URL('vite.config.mjs', import.meta.url)),
  logLevel: 'warn',
  build: { outDir: resolve(folder) },
})
