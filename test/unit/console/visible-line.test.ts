import { expect, test } from 'vitest'
import { visibleLine as byTheApi } from '#core/text/visible-text.ts'
import { visibleLine } from '../../../console/src/lib/text.ts'

test('writes what would not be seen as the API does', () => {
  expect(visibleLine('report\u202egnp.exe')).toBe('report\\u{202e}gnp.exe')
  for (let point = 0; point < 0x11_0000; point += 1) {
    const text = String.fromCodePoint(point)
    if (visibleLine(text) !== byTheApi(text)) expect(visibleLine(text), point.toString(16)).toBe(byTheApi(text))
  }
})
