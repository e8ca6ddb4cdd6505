import { plant } from './plant.ts'

const IMPORTS = "import { defineRoute } from '../../define-route.ts'\n"
const SIXTEEN = Array.from({ length: 16 }, (_, line) => `  c.header('x-${line}', '')`).join('\n')

export const HANDLERS = [
  plant(
    'a handler that does more than adapt',
    'api/routes/runs/i01.ts',
    `${IMPORTS}export const x = defineRoute({}, async (c) => {\n${SIXTEEN}\n})`,
    /handler of 16 lines.*verb of services/,
  ),
  plant(
    'a long handler under a name',
    'api/routes/runs/i02.ts',
    `${IMPORTS}async function handler(c: any) {\n${SIXTEEN}\n}\nexport const x = defineRoute({}, handler)`,
    /handler of 16 lines/,
  ),
  plant(
    'a long handler without braces',
    'api/routes/runs/i03.ts',
    `${IMPORTS}export const x = defineRoute({}, (c: any) => [\n${SIXTEEN.replaceAll("'')", "''),")}\n])`,
    /handler of 18 lines/,
  ),
  plant(
    'a handler of another file',
    'api/routes/runs/i04.ts',
    `${IMPORTS}import { handler } from '../../handler.ts'\nexport const x = defineRoute({}, handler)`,
    /handler from somewhere else/,
  ),
]
