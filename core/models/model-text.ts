import type { PolicySubject } from '../policy/types.ts'

/** What a call of a model is to policies, profiles and people. */
export const MODEL_ACTION = 'llm.generate'
export const MODEL_CAPABILITY = 'model.chat'

export function modelCallSubject(environment: { name: string; class: string }): PolicySubject {
  return {
    environment: environment.name,
    environment_class: environment.class,
    risk: 'low',
    action_types: [MODEL_ACTION],
    capabilities: [MODEL_CAPABILITY],
  }
}
