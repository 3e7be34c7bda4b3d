import type { Access } from './access';
import { ProcessEntity } from './entities/process';
import { plain } from './plain';
import type { Processes } from './store';

export const processesOver = ({ read, write }: Access): Processes => ({
  register: (row) =>
    write(async ({ manager }) => {
      await manager.insert(ProcessEntity, row);
    }),

  heartbeat: (incarnation, at) =>
    write(async ({ manager }) => {
      await manager.update(ProcessEntity, { incarnation }, { heartbeatAt: at });
    }),

  stopped: (incarnation, at) =>
    write(async ({ manager }) => {
      await manager.update(ProcessEntity, { incarnation }, { stoppedAt: at });
    }),

  list: () =>
    read(async ({ manager }) => {
      const processes = await manager.find(ProcessEntity, { order: { startedAt: 'ASC', incarnation: 'ASC' } });
      return processes.map(plain);
    }),
});
