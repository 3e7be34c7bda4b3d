/** Which systemd service this process is of, from `/proc/self/cgroup`. */

export interface SystemdUnit {
  /** e.g. `soai.service`. */
  readonly name: string;
  /** Of a user's own systemd rather than the system's. */
  readonly user: boolean;
  /** Its control group, as the kernel's messages name it. */
  readonly cgroup: string;
}

/** null: no service: a login session, a container without systemd, another system. */
export function unitOf(procCgroup: string): SystemdUnit | null {
  for (const line of procCgroup.split('\n')) {
    // cgroup v2 has the one line "0::PATH"; v1 (and hybrid) has systemd's own hierarchy by name.
    const path = /^(?:0:|\d+:name=systemd):(\/.*)$/.exec(line)?.[1];
    if (path === undefined) continue;
    const parts = path.split('/');
    // The closest unit decides: a shell's scope inside user@1000.service is no service.
    const at = parts.findLastIndex((part) => /\.(service|scope|slice)$/.test(part));
    const name = parts[at];
    if (name === undefined || !name.endsWith('.service') || /^user@\d+\.service$/.test(name)) continue;
    const user = parts.slice(0, at).some((part) => /^user@\d+\.service$/.test(part));
    return { name, user, cgroup: parts.slice(0, at + 1).join('/') };
  }
  return null;
}
