/** The recipients of one group, and orders with their lines. */
import type { Environment } from '../environment.ts'
import { fill, insertGroup, insertUsers } from '../fill.ts'

/** Orders that have lines, twenty each; their ids begin with 1. */
export const orderCount = 2000
/** Suppliers whose orders make a list of 200 pages each; their ids begin with 1. */
export const largeSuppliers = 3

const listedOrders = 8950
const supplierCount = 50
const productCount = 500

/** Fills the tables of recipients and orders. */
export const fillOrders = (environment: Environment, recipients: number): Promise<void> =>
  fill(environment, `${recipients.toLocaleString('en')} recipients, and orders`, [
    insertUsers('p', recipients),
    insertGroup('p'),
    'VACUUM (ANALYZE) records."user", records.user_group_member',
    `INSERT INTO records.supplier (name, contact_name, street, city, country, _created_by, _updated_by)
     SELECT 'Müller & Söhne ' || n, 'Jörg Größl', 'Lange Straße ' || n, 'Köln', 'Germany', 1, 1
     FROM generate_series(1, ${supplierCount}) n`,
    `INSERT INTO records.product (sku, name, unit, _created_by, _updated_by)
     SELECT 'M8-' || lpad(n::text, 4, '0'),
       (ARRAY['Vijak s maticom M', 'Sechskantschraube M', 'Čavao, pocinčani, ', 'Dichtungsring Größe '])[1 + n % 4] || n,
       'kom', 1, 1
     FROM generate_series(1, ${productCount}) n`,
    `INSERT INTO records.purchase_order (number, title, supplier_id, order_date, needed_by, currency,
       total, notes, _created_by, _updated_by)
     SELECT 'PO-2026-' || lpad(n::text, 5, '0'), 'Parts for line ' || n % 97 || ', week ' || 1 + n % 52,
       CASE WHEN n <= ${orderCount} THEN ${1 + largeSuppliers} + n % ${supplierCount - largeSuppliers}
         ELSE 1 + n % ${largeSuppliers} END,
       date '2026-01-01' + n % 300, date '2026-02-01' + n % 300, 'EUR', (n % 90000) + 0.25,
       'Deliver to gate ' || n % 9 || ', ask for shift ' || n % 4 || '.', 1, 1
     FROM generate_series(1, ${orderCount + largeSuppliers * listedOrders}) n`,
    `INSERT INTO records.purchase_order_line (order_id, position, product_id, quantity, unit_price,
       amount, _created_by, _updated_by)
     SELECT o, p, 1 + (o * 7 + p * 13) % ${productCount}, o % 90 + p, 1.25 + p,
       (o % 90 + p) * (1.25 + p), 1, 1
     FROM generate_series(1, ${orderCount}) o, generate_series(1, 20) p`,
    'VACUUM (ANALYZE) records.purchase_order, records.purchase_order_line',
    `INSERT INTO records.printable_document (code, name, entity_key, template_file, _created_by, _updated_by)
     VALUES
       ('purchase-order', 'Purchase order', 'purchase_order', 'purchase-order.typ', 1, 1),
       ('supplier-orders', 'Orders from a supplier', 'supplier', 'supplier-orders.typ', 1, 1)`,
  ])
