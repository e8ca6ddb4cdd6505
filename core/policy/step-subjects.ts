import { highestRisk, type PolicySubject, type Risk } from './types.ts'

/** The facts about one step in one environment that policies read. */
export interface StepFacts {
  environment: { name: string; class: string }
  /** the operator's facts; its action type is that of this very input */
  operator: { risk: Risk; action_type: string; capabilities: readonly string[] }
  /** the declarations of template and step */
  declared: {
    risk: Risk
    /** of the template */
    action_types: readonly string[]
    /** of the step; absent where it declares nothing */
    action_type?: string | undefined
  }
}

/** The subjects of a step for policies, and its names for freezes, dry runs and profiles. */
export interface StepSubjects {
  /** the operator and the step both call it a read */
  is_read: boolean
  /** all that the step is, with everything that is declared */
  action_types: string[]
  /** one with everything that is declared; another, where it differs, by the operator's facts alone */
  subjects: [PolicySubject, ...PolicySubject[]]
}

/**
 * A step is judged twice, so that a declaration can make it stricter and never laxer: with all that template and step declare,
 * and as if they had declared nothing.
 */
export function stepSubjects({ environment, operator, declared }: StepFacts): StepSubjects {
  const own = declared.action_type === undefined ? [] : [declared.action_type]
  const is_read = [operator.action_type, ...own].every((type) => type === 'read')
  const action_types = is_read ? ['read'] : [...new Set([operator.action_type, ...own, ...declared.action_types])]
  const risk = highestRisk(declared.risk, operator.risk)
  const subject = (risk: Risk, action_types: string[]): PolicySubject => ({
    environment: environment.name,
    environment_class: environment.class,
    risk,
    action_types,
    capabilities: [...operator.capabilities],
  })
  const differs = risk !== operator.risk || action_types.length > 1
  return {
    is_read,
    action_types,
    subjects: [subject(risk, action_types), ...(differs ? [subject(operator.risk, [operator.action_type])] : [])],
  }
}
