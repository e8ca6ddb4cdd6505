import { ruleOfDefinitions } from './rule-definitions.ts'
import { ruleOfGlobals } from './rule-globals.ts'
import { ruleOfHandlers } from './rule-handlers.ts'
import { ruleOfImports } from './rule-imports.ts'
import { ruleOfParameters } from './rule-parameters.ts'
import { ruleOfPorts } from './rule-ports.ts'
import { ruleOfShipped } from './rule-shipped.ts'
import { ruleOfSql } from './rule-sql.ts'
import { parse, type Source } from './sources.ts'
import type { Rule } from './violation.ts'

const RULES: Rule[] = [
  ruleOfImports,
  ruleOfGlobals,
  ruleOfPorts,
  ruleOfDefinitions,
  ruleOfHandlers,
  ruleOfParameters,
  ruleOfShipped,
  ruleOfSql,
]

/** Everything in these files that breaks a rule of the house, each with the way to do it right. */
export function check(sources: readonly Source[]): string[] {
  const tree = parse(sources)
  return RULES.flatMap((rule) => rule(tree)).map(
    ({ path, line, what, instead }) => `${path}:${line} ${what}. ${instead}.`,
  )
}
