import { expect, test } from 'vitest'
import { Fragment, jsx, jsxs } from '../../../console/src/lib/jsx-runtime.ts'

const NAME = 'Ada\u202egnp.exe'
const SHOWN = 'Ada\\u{202e}gnp.exe'

test('every text of a page is visible, and nothing else is touched', () => {
  expect(jsx('p', { children: NAME, title: NAME }).props).toEqual({ children: SHOWN, title: NAME })
  const inner = jsx('b', { children: 'bold' })
  expect(jsxs('p', { children: ['by ', NAME, inner, 3, false] }).props).toEqual({
    children: ['by ', SHOWN, inner, 3, false],
  })
  expect(jsx(Fragment, { children: NAME }).props).toEqual({ children: SHOWN })
  expect(jsx('pre', { children: `one\n\ttwo${NAME}` }).props).toEqual({ children: `one\n\ttwo${SHOWN}` })
  expect(jsx('input', { value: NAME }).props).toEqual({ value: NAME })
  expect(jsx(() => null, { children: NAME }).props, 'a component of a library shows it in elements of its own').toEqual(
    {
      children: SHOWN,
    },
  )
  expect(jsx('p', { children: SHOWN }).props, 'what is visible stays as it is').toEqual({ children: SHOWN })
})
