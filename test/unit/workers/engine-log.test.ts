import { expect, test } from 'vitest'
import { createEngineLog } from '#workers/create-workers.ts'

test('what the record tells of a failed run is left out; anything else of the SDK is logged', () => {
  const logged: string[] = []
  const log = createEngineLog({ warn: (_fields, message) => void logged.push(String(message)) })
  // as errors arrive from the thread of the workflow: without their type
  for (const message of ['the run failed', 'the run failed: unreachable', 'the pipeline failed: a step failed'])
    log.warn('Workflow failed', { error: new Error(message) })
  expect(logged).toEqual([])
  log.warn('Workflow failed', { error: new TypeError('x is not a function') })
  log.warn('Workflow failed', { error: new Error('the run failedly') })
  log.warn('Activity failed', { error: new Error('the run failed') })
  log.warn('Workflow failed')
  log.info('not of interest')
  expect(logged).toEqual(['Workflow failed', 'Workflow failed', 'Activity failed', 'Workflow failed'])
})
