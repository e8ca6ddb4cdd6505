// node platform/program/run.mjs <program> [arguments]: a program of ours, such as api/main.ts
import { argv } from 'node:process'
import { launch } from './launch.mjs'

const [program = '', ...args] = argv.slice(2)
await launch(program, args)
