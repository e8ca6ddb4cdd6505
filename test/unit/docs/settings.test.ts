import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { expect, test } from 'vitest'
import { loadConfig } from '#platform/config.ts'
import { describeConfig } from '#platform/describe-config.ts'

test('the table of settings in the configuration page is that of the schema', () => {
  const guide = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8')
  const table = describeConfig(loadConfig({})).map(({ name, default: preset, meaning }) => {
    const shown =
      preset === null
        ? ''
        : ` \`${preset
            .replace(homedir(), '~')
            .replace(/^false$/, '0')
            .replace(/^true$/, '1')}\``
    return `| \`${name}\` |${shown} | ${meaning} |`
  })
  const documented = guide.split('\n').filter((line) => /^\| `[A-Z_]+` \|/.test(line))
  expect(documented).toEqual(table)
})
