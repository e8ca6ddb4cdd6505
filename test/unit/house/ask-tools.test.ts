import { describe, expect, test } from 'vitest'
import { ASK_TOOLS } from '#services/ask/tools/index.ts'
import { readFolders } from './sources.ts'

describe('what runs the tools of the ask agent', () => {
  test('offers every tool that is defined', () => {
    const defined = readFolders(['services/ask/tools']).flatMap(({ text }) => text.match(/defineAskTool\(/g) ?? [])
    expect(ASK_TOOLS).toHaveLength(defined.length)
    expect(new Set(ASK_TOOLS.map(({ name }) => name)).size).toBe(defined.length)
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
