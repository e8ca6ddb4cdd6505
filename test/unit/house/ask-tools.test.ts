import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ASK_TOOLS } from '#services/ask/tools/index.ts'
import { readFolders } from './sources.ts'

const TOOLS = 'services/ask/tools'
const FILES = readdirSync(new URL(`../../../${TOOLS}`, import.meta.url)).map((name) => `${TOOLS}/${name}`)

describe('what runs the tools of the ask agent', () => {
  test('has one file for each tool, and offers every one', () => {
    const named = ASK_TOOLS.map(({ name }) => `${TOOLS}/${name.replaceAll('_', '-')}.ts`)
    expect([...named, `${TOOLS}/index.ts`].sort()).toEqual(FILES.sort())
  })

  test('reads with statements that only select', () => {
    for (const { path, text } of readFolders(['store/ask-reads'])) {
      expect(text, path).not.toMatch(
        /\b(insert into|update \w+ set|delete from|truncate|set_config|pg_notify|for update)\b|\.unsafe\(|\.begin\(/i,
      )
    }
  })

  test('takes arguments that its schema names, and limits what it hands over', () => {
    for (const { name, input, description } of ASK_TOOLS) {
      expect(input.safeParse({ workspace_id: 'ws_1' }).success, name).toBe(false)
      expect(input.safeParse({ limit: 1_000 }).success, name).toBe(false)
      expect(description.length, name).toBeGreaterThan(20)
    }
  })
})
