/** A directory whose folders are bundles. */
export interface PipelineRoot {
  directory: string
  /** no file outside of it is read, wherever links point */
  confines: string
  /** true where it need not be there */
  optional?: boolean
  /** their pack; absent for those of the deployment */
  pack?: string
  /** the directory's name for people, such as `pipelines` or `data/pipelines` */
  shown: string
}

/** A folder with a `pipeline.yaml`. */
export interface BundlePlace {
  /** the name of the bundle in a start */
  path: string
  directory: string
  confines: string
  /** as people find it */
  shown: string
}

export const PIPELINE_FILE = 'pipeline.yaml'

const MAX_CHARS = 255
/** A relative path of folders: no hidden ones, no parent, no absolute path. */
const BUNDLE_PATH = /^[A-Za-z0-9_][A-Za-z0-9._-]*(\/[A-Za-z0-9_][A-Za-z0-9._-]*){0,8}$/

/** Tells whether a text is a valid name of a bundle. */
export function isBundlePath(text: string): boolean {
  return text.length <= MAX_CHARS && BUNDLE_PATH.test(text)
}

/** The place of the bundle that a start names, whether it is there or not; undefined where this root cannot have it. */
export function placeIn(root: PipelineRoot, bundlePath: string): BundlePlace | undefined {
  const [first, ...rest] = bundlePath.split('/')
  const inside = root.pack === undefined ? bundlePath : rest.join('/')
  if (inside === '' || (root.pack !== undefined && first !== root.pack)) return undefined
  return {
    path: bundlePath,
    directory: `${root.directory}/${inside}`,
    confines: root.confines,
    shown: `${root.shown}/${inside}`,
  }
}
