import { expect, test } from 'vitest'
import { withClass } from '#core/environment/environment.ts'

test('the class of an environment is said once, and only where the name does not say it', () => {
  expect(withClass('production', 'production')).toBe('production')
  expect(withClass('live', 'production')).toBe('live (production)')
  expect(withClass('live', undefined)).toBe('live')
})
