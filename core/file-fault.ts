/** A fault in a file of a deployment; `line` and `column` count from 1. */
export interface FileFault {
  /** as people find it, such as `sre/templates/service-recovery.yaml` */
  file: string
  line?: number
  column?: number
  message: string
  /** true for what may be meant as it is; everything else is an error */
  warning?: boolean
}

/** `sre/templates/service-recovery.yaml:12:9: unknown operator http.reqest` */
export function faultText({ file, line, column, message }: FileFault): string {
  return `${[file, line, column].filter((part) => part !== undefined).join(':')}: ${message}`
}
