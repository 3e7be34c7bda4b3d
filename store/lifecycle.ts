import type { Access } from './access';
import { LifecycleEventEntity } from './entities/lifecycle-event';
import type { Lifecycle } from './store';

export const lifecycleOver = ({ read, write }: Access): Lifecycle => ({
  append: (kind, detail, at) =>
    write(async ({ manager }) => {
      await manager.save(LifecycleEventEntity, { kind, detail: { ...detail }, at }, { transaction: false });
    }),

  list: (limit) =>
    read(async ({ manager }) => {
      const events = await manager.find(LifecycleEventEntity, { order: { id: 'DESC' }, take: limit });
      return events.map(({ kind, detail, at }) => ({ kind, detail, at }));
    }),
});
