/** What one workspace may take of the service; an absent limit does not apply. */
export interface WorkspaceLimits {
  /** operations that run at once in the lane, beneath the lane's own limit */
  realtime?: number
  background?: number
  /** over all environments of the workspace, per UTC day */
  daily_usd?: number
}
