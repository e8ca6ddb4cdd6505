// node console/build.mjs <folder>: builds the console into that folder
import { resolve } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const [folder] = argv.slice(2)
if (folder === undefined) throw new Error('node console/build.mjs <folder>')
await build({
  configFile: fileURLToPath(new URL('vite.config.mjs', import.meta.url)),
  logLevel: 'warn',
  build: { outDir: resolve(folder) },
})
