import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { readFolders, type Source, withoutComments } from './sources.ts'

const SOURCES = readFolders(['store', 'services', 'workers', 'activities', 'platform', 'api'])

/**
 * A number from a sequence is taken before its row commits, so that a reader who has had 41 may miss a 40 that commits
 * later. Reading on from a number is sound only where the numbers themselves are given in the order of commits.
 */
const SOUND: Record<string, string> = {
  'pipeline_events.seq': 'numbered under the lock of its pipeline',
  'audit_outbox.seq': 'the place in the chain, which its one writer gives in order and marks without a gap',
  'bus_messages.id': 'the numberer gives it under the lock of the one row of bus_head',
  'runs.last_seq': 'the count of one row, which every writer of the run locks',
  'run_events.seq': "append_events gives it under the lock of the run's row, and it is read run by run",
}

/** `id` and `seq` in whatever spelling, against a lower bound that is no constant: `m.id > ${after}`, `seq >= p_from`. */
const READ_ON = /(?<![\w.'"])((?:\w+\.)?(?:\w*_)?(?:id|seq))\s*>=?\s*(?![>=\s\d])/gi

/** Columns that a sequence fills: `id bigint generated … as identity`, `serial`, `bigserial`. */
function sequenceColumns(): Set<string> {
  const found = new Set<string>()
  for (const { text } of SOURCES.filter(({ path }) => path.startsWith('store/migrations/')))
    for (const [, table = '', body = ''] of text.matchAll(/create table (\w+) \((.*?)\n\)/gs))
      for (const [, column = ''] of body.matchAll(
        /^\s*"?(\w+)"? (?:\w+ generated \w+(?: \w+)? as identity|(?:big|small)?serial)/gm,
      ))
        found.add(`${table}.${column}`)
  return found
}

/** Every template literal that holds SQL, whole, and every statement of migrations and of the database's functions. */
const statements = SOURCES.flatMap((source) => {
  const texts = source.path.endsWith('.sql') ? withoutComments(source).split(';') : sqlLiterals(source.text)
  return texts.map((text): Source => ({ path: source.path, text }))
})

/** Literals may hold others in their holes, which stay a part of the outer one. */
function sqlLiterals(source: string): string[] {
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node)) found.push(node.getText())
    else node.forEachChild(visit)
  }
  visit(ts.createSourceFile('any.ts', source, ts.ScriptTarget.Latest, true))
  return found.filter((text) => /\b(select|update|delete|insert)\b/i.test(text))
}

/** The columns that a statement reads on from, each with the table that it belongs to as far as the text tells. */
function readsOn({ text }: Pick<Source, 'text'>): string[] {
  const tables = [...text.matchAll(/\b(?:from|join|update|into)\s+(\w+)\b(?!\s*\()(?:\s+(?:as\s+)?(\w+))?/gi)]
  return [...text.matchAll(READ_ON)].map(({ 1: name = '', index }) => {
    const [column = '', alias] = name.split('.').reverse()
    const table =
      alias === undefined
        ? tables.findLast((each) => each.index < index)
        : tables.find(([, named, as]) => as === alias || named === alias)
    return `${table?.[1] ?? alias ?? '?'}.${column}`
  })
}

describe('reading on from a number', () => {
  test('is done only where numbers are given in the order of commits', () => {
    const unsound = statements.flatMap((statement) =>
      readsOn(statement)
        .filter((column) => SOUND[column] === undefined)
        .map((column) => `${statement.path}: ${column}`),
    )
    expect(unsound).toEqual([])
  })

  test('is never sound by a column that a sequence fills', () => {
    const columns = sequenceColumns()
    expect(columns).toContain('bus_outbox.id')
    expect(columns).toContain('audit_outbox.id')
    expect([...columns].filter((column) => column in SOUND)).toEqual([])
  })

  test('is found wherever it stands, and the exceptions are still needed', () => {
    const found = (text: string) => readsOn({ text })
    expect(found('select * from audit_outbox where id > $1')).toEqual(['audit_outbox.id'])
    expect(found('select 1 from bus_outbox o join runs r on r.id = o.key where o.id >= p_from')).toEqual([
      'bus_outbox.id',
    ])
    expect(found("select event ->> 'id', a.b_id from x where at > 3 and n_id <> 2")).toEqual([])
    const hole = '$' + '{'
    const source = `a\`select ${hole}x ? db\`and y\` : db\`\`} from t where id > ${hole}n}\``
    expect(sqlLiterals(source).flatMap(found)).toEqual(['t.id'])
    const used = new Set(statements.flatMap(readsOn))
    expect(Object.keys(SOUND).filter((column) => !used.has(column))).toEqual([])
  })
})
