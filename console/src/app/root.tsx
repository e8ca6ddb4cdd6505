import { Outlet, useMatch } from '@tanstack/react-router'
import { Frame } from './frame.tsx'

/** Anyone who follows an invitation has nothing to sign in with yet. */
export function Root() {
  const isJoining = useMatch({ from: '/join', shouldThrow: false }) !== undefined
  return isJoining ? <Outlet /> : <Frame />
}
