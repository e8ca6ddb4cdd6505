import { expect, test } from 'vitest'
import { didYouMean, nearestDuration } from '#core/text/did-you-mean.ts'

test.each([
  ['producton', '; did you mean production?'],
  ['Production', '; did you mean production?'],
  ['lvie', '; did you mean live?'],
  ['prod', ''],
  ['', ''],
])('of production and live, %j is%s', (meant, hint) => expect(didYouMean(meant, ['production', 'live'])).toBe(hint))

test.each([
  ['30sec', '; did you mean 30s?'],
  ['5 Minutes', '; did you mean 5m?'],
  ['2hrs', '; did you mean 2h?'],
  ['soon', ''],
  ['30 parsecs', ''],
])('%j as a duration is%s', (text, hint) => expect(nearestDuration(text)).toBe(hint))
