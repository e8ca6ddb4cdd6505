import { expect, test } from 'vitest'
import { type Column, cutTo, tableLines } from '#cli/views/table.ts'

interface Row {
  id: string
  about: string
  age: string
}

const COLUMNS: Column<Row>[] = [
  { title: 'ID', text: ({ id }) => id },
  { title: 'ABOUT', text: ({ about }) => about, cut: true },
  { title: 'AGE', text: ({ age }) => age },
]
const ID = 'run_01m82svzx9vpenwptk63qan6yv'
const row = (about: string): Row => ({ id: ID, about, age: '3 h' })

test('a table is as wide as what is in it, and cuts nothing where nobody looks', () => {
  const about = 'x'.repeat(300)
  expect(tableLines(COLUMNS, [row(about)])[1]).toBe(`${ID}  ${about}  3 h`)
  expect(tableLines(COLUMNS, [row('short')])).toEqual([`${'ID'.padEnd(30)}  ABOUT  AGE`, `${ID}  short  3 h`])
})

test('in a window the middle is cut, never the id', () => {
  for (const width of [50, 60, 79]) {
    const [, line = ''] = tableLines(COLUMNS, [row('the checkout service answers 503 since 02:58')], width)
    expect(line).toHaveLength(width)
    expect(line).toContain(ID)
    expect(line).toMatch(/… {2}3 h$/)
  }
  expect(tableLines(COLUMNS, [row('the checkout service answers')], 10)[1]).toContain(ID)
})

test('a wide character takes two places, and one that would not be seen stands as its escape', () => {
  expect(cutTo('決済処理障害', 7)).toBe('決済処…')
  expect(cutTo('決済', 4)).toBe('決済')
  const [head, wide, plain] = tableLines(COLUMNS, [row('決済'), row('abcdef')])
  expect(head).toBe(`${'ID'.padEnd(30)}  ABOUT   AGE`)
  expect(wide).toBe(`${ID}  決済    3 h`)
  expect(plain).toBe(`${ID}  abcdef  3 h`)
  expect(tableLines(COLUMNS, [row('a\u001b[2Jb\u202ec')])[1]).toContain('a\\u{1b}[2Jb\\u{202e}c')
})

test('a column without any text is left out', () => {
  expect(tableLines(COLUMNS, [row('')])[0]).toBe(`${'ID'.padEnd(30)}  AGE`)
})

test('a colour ends where its text is cut', () => {
  expect(cutTo('\u001b[33mtoo long for it\u001b[39m', 5)).toBe('\u001b[33mtoo …\u001b[0m')
  expect(cutTo('\u001b[33mshort\u001b[39m', 5)).toBe('\u001b[33mshort\u001b[39m')
})
