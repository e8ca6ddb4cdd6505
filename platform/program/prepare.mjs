// node platform/program/prepare.mjs <program>…: builds their bundles now, so that no start has to
import { argv } from 'node:process'
import { findBundle } from './bundle.mjs'
import { CACHE, ROOT } from './launch.mjs'

for (const program of argv.slice(2)) await findBundle({ root: ROOT, cache: CACHE, program })
