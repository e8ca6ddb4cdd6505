import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import locked from './chromium/package.json' with { type: 'json' }
import { installLocked } from './npm-locked.ts'
import type { Program } from './program.ts'

export const CHROMIUM_VERSION = locked.dependencies['@sparticuz/chromium']

/** Its fonts stand beside this file; a Chromium that finds none ends at the first page. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir></fontconfig>
`

/** Unpacks the Chromium that npm has for Linux on x64 into `dir`; the lock file beside this one pins its digest. */
export async function unpackChromium(dir: string): Promise<void> {
  await installLocked('chromium', dir)
  const unpack = `const { default: chromium } = await import('@sparticuz/chromium'); await chromium.executablePath()`
  await execa(process.execPath, ['--input-type=module', '--eval', unpack], {
    cwd: dir,
    // it unpacks into the temporary directory, and where it takes itself to be in a cloud function also the libraries it needs
    env: { TMPDIR: dir, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' },
  })
  await writeFile(join(dir, 'fonts', 'fonts.conf'), FONTS)
  await rm(join(dir, 'node_modules'), { recursive: true })
}

export function unpackedChromium(dir: string): Program {
  return {
    command: join(dir, 'chromium'),
    env: { LD_LIBRARY_PATH: join(dir, 'al2023', 'lib'), FONTCONFIG_PATH: join(dir, 'fonts') },
  }
}
