import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * Lets the stack of an error name the places in the sources. A map is read when the first error is looked at: read at
 * the start, as node itself would, the maps cost a tenth of the time and of the memory of a program.
 * @param {string} folder url of the bundle, with a slash at its end
 */
export function nameSourcesIn(folder) {
  /** @type {Map<string, SourceMap | undefined>} */
  const maps = new Map()
  /** @param {string} url */
  const mapOf = (url) => {
    if (!maps.has(url)) maps.set(url, readMap(url))
    return maps.get(url)
  }
  // an error of another context is one of workflow code, which this bundle does not hold
  Error.prepareStackTrace = (error, frames) => {
    const placeOf = error instanceof Error ? sourceOf : String
    return [titleOf(error), ...frames.map((frame) => `    at ${placeOf(frame)}`)].join('\n')
  }

  /** @param {NodeJS.CallSite} frame */
  function sourceOf(frame) {
    const url = frame.getFileName()
    const line = frame.getLineNumber()
    const column = frame.getColumnNumber()
    if (!url?.startsWith(folder) || line === null || column === null) return `${frame}`
    const found = mapOf(url)?.findEntry(line - 1, column - 1)
    if (found === undefined || !('originalSource' in found)) return `${frame}`
    const { originalSource, originalLine, originalColumn } = found
    const place = `${new URL(originalSource, url).href}:${originalLine + 1}:${originalColumn + 1}`
    return `${frame}`.replace(`${url}:${line}:${column}`, () => place)
  }
}

/** @param {string} url */
function readMap(url) {
  try {
    return new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${url}.map`), 'utf8')))
  } catch {
    return undefined
  }
}

/** @param {Error} error */
function titleOf(error) {
  try {
    return Error.prototype.toString.call(error)
  } catch {
    return 'Error'
  }
}
