-- outside of a transaction
-- What the service wrote itself when a user had left named them, and stayed when they were anonymised. The entry says from whom to whom.

UPDATE docket.history SET comment = 'Handed over: a user has left.'
WHERE operation IN ('change', 'takeOwnership') AND comment LIKE 'Handed over: % has left.';
