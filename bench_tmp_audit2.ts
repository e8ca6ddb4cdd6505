import { mkdtempSync, openSync, readFileSync, writeSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chainRecord, GENESIS } from '#core/audit/chain.ts'
import type { AuditDraft } from '#core/audit/types.ts'
import { sha256 } from '#platform/audit-sink/verify-range.ts'
import { verifyFile } from '#platform/audit-sink/verify-file.ts'
const mk = (n: number): AuditDraft => ({ id:`aud_${String(n).padStart(26,'0')}`, ts:'2026-11-21T10:00:00.000Z', category:'policy_decision', action:'policy.evaluated', workspace_id:'ws_00000000000000000000000000', actor:{type:'system',id:'engine',auth:'none'}, channel:'api', run_id:`run_${String(n).padStart(26,'0')}`, subject:{type:'step',id:'restart'}, data:{effect:'require_hitl', policies:['prod-default'], cost:1200} })
const dir = mkdtempSync(join(tmpdir(),'audb-'))
const big=join(dir,'big'); const fd=openSync(big,'a'); let prev=GENESIS; const N=500000
for(let i=0;i<N;){let s='';for(let k=0;k<5000;k++,i++){const r=chainRecord(prev,mk(i),sha256);prev=r.record;s+=r.line+'\n'};writeSync(fd,s)}
for (let k=0;k<1;k++) {
{ const t=performance.now(); const s=readFileSync(big,'latin1'); let p=0,n=0,ph='0'.repeat(64); for(;;){const q=s.indexOf('\n',p);if(q<0)break;const e=s.indexOf('"event":',p);if(sha256(ph+s.slice(e+8,q-1))!==(ph=s.slice(s.indexOf('"hash":"',p)+8,s.indexOf('"hash":"',p)+72)))throw 1;p=q+1;n++}; console.log('raw slice',n,Math.round(N/((performance.now()-t)/1e3))) }
for (const o of [{links_only:true},{links_only:true}]) { const t=performance.now(); const r=await verifyFile(big,o); console.log('verify',o,r.records,Math.round(N/((performance.now()-t)/1e3)),'rec/s', r.broken) }
}
rmSync(dir,{recursive:true})
