import type { FileFault } from '#core/file-fault.ts'

const MAX_BYTES = 256 * 1024
const BYTE_ORDER_MARK = '\uFEFF'

export interface SplitSkill {
  /** the YAML after as many empty lines as precede it in the file, so that line numbers match */
  frontmatter: Uint8Array
  instructions: string
}

/** Splits a SKILL.md at its two lines of `---`. At most 256 kB of UTF-8. */
export function splitFrontmatter(file: string, bytes: Uint8Array): SplitSkill | FileFault {
  if (bytes.length === 0) return { file, message: 'the file is missing, empty or not readable' }
  if (bytes.length > MAX_BYTES)
    return { file, message: `larger than ${MAX_BYTES / 1024} kB; move what is long into files beside it` }
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return { file, message: 'not UTF-8 text; save it as UTF-8' }
  }
  const lines = (text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text).split('\n')
  if (!isFence(lines[0])) return { file, line: 1, column: 1, message: 'it must begin with a line of ---' }
  const end = lines.findIndex((line, index) => index > 0 && isFence(line))
  if (end === -1) return { file, line: 1, column: 1, message: 'the frontmatter is never closed by a line of ---' }
  return {
    frontmatter: new TextEncoder().encode(`\n${lines.slice(1, end).join('\n')}\n`),
    instructions: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  }
}

function isFence(line: string | undefined): boolean {
  return line?.trimEnd() === '---'
}
